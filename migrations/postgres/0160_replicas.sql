-- How often something was done in a session: replicas that share a database know by it that what they keep in memory is out of date.
ALTER TABLE session ADD COLUMN edition BIGINT NOT NULL DEFAULT 0;

-- Files of the site, of every version that ran lately: a page of one version can ask a replica of another for them. `content` is sealed for
-- its address, so that no one who can only write to the database can change what
-- browsers run.
CREATE TABLE site_file (
    address TEXT   NOT NULL PRIMARY KEY,
    kind    TEXT   NOT NULL, -- media type
    content BYTEA  NOT NULL,
    used    BIGINT NOT NULL  -- when a replica of that version last ran, seconds since 1970
);

-- Notices to the replicas that listen: what changed, by id. They are sent when the transaction commits, so a replica that gets one reads the change.
-- PostgreSQL refuses payloads of 8,000 bytes; without its id, a notice says that anything can have changed.
CREATE FUNCTION opm_notify(kind TEXT, id TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('opm_portal', CASE WHEN octet_length(id) > 7000 THEN 'any' ELSE kind || ' ' || id END);
END
$$;

CREATE FUNCTION opm_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM opm_notify('session-ended', encode(OLD.id, 'hex'));
    RETURN NULL;
END
$$;

CREATE TRIGGER opm_session_ended AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION opm_session_ended();

CREATE FUNCTION opm_session_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM opm_notify('session-changed', encode(NEW.id, 'hex'));
    RETURN NULL;
END
$$;

CREATE TRIGGER opm_session_changed AFTER UPDATE OF edition ON session FOR EACH ROW EXECUTE FUNCTION opm_session_changed();

-- Many at once for one person are one notice: PostgreSQL sends equal notices of a transaction once.
CREATE FUNCTION opm_person_notified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM opm_notify('notifications', NEW.person);
    RETURN NULL;
END
$$;

CREATE TRIGGER opm_person_notified AFTER INSERT OR UPDATE OF seen_at ON notification
    FOR EACH ROW EXECUTE FUNCTION opm_person_notified();

CREATE FUNCTION opm_person_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM opm_notify('people', '');
    RETURN NULL;
END
$$;

CREATE TRIGGER opm_person_met AFTER INSERT ON acquaintance FOR EACH ROW EXECUTE FUNCTION opm_person_named();
CREATE TRIGGER opm_person_named AFTER UPDATE ON acquaintance
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION opm_person_named();
