-- What somebody was told, once: `id` is derived from what happened and to whom it is told. `person` begins with @ for a channel.
CREATE TABLE notification (
    id        TEXT    NOT NULL PRIMARY KEY,
    person    TEXT    NOT NULL,
    event     TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    content   TEXT    NOT NULL,
    why       TEXT    NOT NULL,
    link      TEXT    NOT NULL, -- address in the portal
    workspace TEXT    NOT NULL,
    shown     INTEGER NOT NULL, -- 1 in the portal, 0 where the person does not want it there
    happened  INTEGER NOT NULL, -- seconds since 1970
    seen_at   INTEGER NOT NULL  -- seconds since 1970, 0 while unread
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_person ON notification (person, shown, happened, id);
CREATE INDEX notification_unread ON notification (person, shown, seen_at);
CREATE INDEX notification_happened ON notification (happened);

-- One message to one place, written together with its notification.
CREATE TABLE delivery (
    id           TEXT    NOT NULL PRIMARY KEY,
    notification TEXT    NOT NULL REFERENCES notification (id),
    channel      TEXT    NOT NULL, -- mail, webhook
    target       TEXT    NOT NULL, -- address, or name of the webhook
    collected    INTEGER NOT NULL, -- 1 when it goes into one message with the others of its target and time
    state        TEXT    NOT NULL, -- waiting, sent, dead
    attempts     INTEGER NOT NULL,
    problem      TEXT    NOT NULL,
    created      INTEGER NOT NULL, -- seconds since 1970
    due          INTEGER NOT NULL, -- of the next attempt; of the end when there is none
    holder       TEXT    NOT NULL, -- which process sends it now
    held_until   INTEGER NOT NULL  -- until when it is believed to
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_due ON delivery (state, due, id);
CREATE INDEX delivery_notification ON delivery (notification);

-- Rules of a person, JSON.
CREATE TABLE subscription (
    person   TEXT    NOT NULL PRIMARY KEY,
    settings TEXT    NOT NULL,
    changed  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who has signed in, so that groups can be told.
CREATE TABLE acquaintance (
    person  TEXT    NOT NULL PRIMARY KEY,
    mail    TEXT    NOT NULL, -- as the token said; empty when it did not
    met     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE acquaintance_group (
    team   TEXT NOT NULL, -- name of the group
    person TEXT NOT NULL,
    PRIMARY KEY (team, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX acquaintance_group_person ON acquaintance_group (person);

-- Since when people are told at all: what had happened before this database is no news.
CREATE TABLE telling (
    id    INTEGER NOT NULL PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT;
