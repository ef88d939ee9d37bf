//! The embedded plane with its sample world, as the portal's plane.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use cluster::{Endpoint, Token, Topology, WorkspacePath};
use devplane::sandbox::Operators;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ground::Ground;
use super::{Edges, ServeError};
use crate::config::PlaneKind;
use crate::history::Past;
use crate::plane::Folder;
use crate::plane::authentication;
use crate::plane::embedded;
use crate::plane::folder::write_private;
use crate::plane::identity::{self, Identities};
use crate::plane::kubeconfig::{self, Server};
use crate::router;
use crate::sample::{Files, Person, World, load};
use crate::tickets;
use crate::web::listen;

/// How long a simulated ticket takes, in seconds at a believable pace.
const TICKET: f64 = 20.0;

/// What exists only with an embedded plane.
pub struct Sandbox {
    /// The plane itself.
    pub plane: devplane::Plane,
    /// All users of the plane.
    pub identities: Identities,
    /// People and workspaces of the sample world.
    pub world: World,
    /// Path of the kubeconfig for people.
    pub kubeconfig: PathBuf,
    /// The past with which the sample world began.
    pub past: Option<Past>,
    /// The files of the sample world.
    pub files: Files,
    /// Address of the simulated ticket system.
    pub tickets: SocketAddr,
}

/// How the embedded plane is opened.
pub struct Opening<'a> {
    /// Address of its listener.
    pub listen: SocketAddr,
    /// Sample world other than the built-in one.
    pub examples: Option<&'a Path>,
    /// Whether a new sample world begins with its history.
    pub history: bool,
    /// File that says whose tokens the plane accepts beside its own.
    pub authentication: Option<&'a Path>,
}

/// Opens the plane stored in a folder, loads the sample world unless it exists, and starts the background tasks.
///
/// # Errors
/// If something can't be opened, or the sample world is invalid.
pub async fn open(
    folder: &Folder,
    opening: Opening<'_>,
    edges: &Edges,
    tasks: &TaskTracker,
    shutdown: &CancellationToken,
) -> Result<(Ground, Sandbox), ServeError> {
    let authentication = authentication::read(opening.authentication)?;
    let files = opening.examples.map_or(Files::BuiltIn, |examples| Files::Directory(examples.to_owned()));
    let world = World::read(&files)?;
    let named = world.people.iter().map(|person| (person.name.as_str(), person.groups.as_slice()));
    let identities = Identities::open(folder, named, &*edges.random).map_err(ServeError::Folder)?;
    let mut past = Past::of(folder, &world, &files, opening.history, edges.clock.now())?;
    let initial = |url: &str| past.as_ref().map_or_else(|| Ok(Vec::new()), |past| past.initial(&files, url));
    let opened = embedded::open(folder, opening.listen, &identities, authentication, edges.clock.clone(), initial).await?;
    let embedded::Embedded { plane, endpoint, listener, server } = opened;
    if let Some(past) = &mut past {
        // An answer of the plane may wait for the disk; that all of the past is there may be noted only then.
        let store = &plane.state().store;
        store.settle(store.revision()).await;
        past.completed(folder)?;
    }
    let token = |name: &'static str| identities.token(name).cloned().ok_or(ServeError::Identity(name));
    let operators = Operators::new(plane.router(), &*token(identity::OPERATOR)?.expose(), embedded::clock(&edges.clock), edges.pace)
        .supervised(&plane.state().supervisor);
    load::load(&world, &files, &endpoint, &token(identity::ADMIN)?).await?;
    tasks.spawn(operators.run(shutdown.clone()));
    tasks.spawn(listener.serve(plane.router(), shutdown.clone()));
    let opening = tickets::Opening {
        world: &world,
        endpoint: &endpoint,
        admin: &token(identity::ADMIN)?,
        work: edges.pace.scaled(TICKET),
        clock: edges.clock.clone(),
        random: edges.random.clone(),
    };
    let tickets::Opened { tickets, listener, address } = tickets::open(opening).await?;
    tasks.spawn(listen::serve(listener, router::tickets(&tickets), shutdown.clone()));
    hand_out(folder, &server, &identities, &world, &endpoint).await?;
    // Without its history, the sample world lacks what a newcomer is told to look at.
    let tour = |person: &Person| if past.is_some() { person.tour.clone() } else { Vec::new() };
    let people = world
        .people
        .iter()
        .filter_map(|person| Some((Person { tour: tour(person), ..person.clone() }, identities.token(&person.name)?.clone())));
    let ground = Ground {
        plane: PlaneKind::Embedded,
        endpoint,
        topology: Topology::Workspaces { provider: world.provider.clone() },
        portal: token(identity::PORTAL)?,
        controller: Some(token(identity::CONTROLLER)?),
        trusted_homes: world.trusted_homes().cloned().collect(),
        people: people.collect(),
    };
    Ok((ground, Sandbox { plane, identities, world, kubeconfig: folder.kubeconfig(), past, files, tickets: address }))
}

/// Writes the kubeconfig for people, and the one with which each trusted home reaches the sandbox cluster.
async fn hand_out(folder: &Folder, server: &Server, identities: &Identities, world: &World, endpoint: &Endpoint) -> Result<(), ServeError> {
    let people: Vec<String> = world.people.iter().map(|person| person.name.clone()).collect();
    let workspaces: Vec<WorkspacePath> = world.workspaces.iter().map(|workspace| workspace.path.clone()).collect();
    let file = kubeconfig::for_people(server, identities, &people, &workspaces);
    write_private(&folder.kubeconfig(), &format!("{file:#}\n")).map_err(ServeError::Folder)?;
    let admin: &Token = identities.token(identity::ADMIN).ok_or(ServeError::Identity(identity::ADMIN))?;
    let writer = identities.get(identity::DESTINATION).ok_or(ServeError::Identity(identity::DESTINATION))?;
    let file = kubeconfig::for_destination(server, writer);
    for home in world.trusted_homes() {
        load::write_destination(home, &file, endpoint, admin).await?;
    }
    Ok(())
}
