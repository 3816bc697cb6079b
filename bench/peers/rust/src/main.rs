//! kube-rs' side of bench/runtime.mjs.
//! Arguments: server, number of objects, workers (0: watches and counts only), typed or dynamic.
mod thing;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{StreamExt, TryStreamExt};
use kube::api::{Api, ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::runtime::controller::{Action, Config as ControllerConfig};
use kube::runtime::watcher::{self, watcher};
use kube::runtime::{Controller, WatchStreamExt, reflector};
use kube::{Client, Config, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::Notify;

fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1000.0
}

fn say(line: Value) {
    println!("{line}");
}

#[derive(Default)]
struct Tally {
    left: AtomicI64,
    done: Notify,
    end_ms: Mutex<f64>,
    ages: Mutex<Vec<f64>>,
}

impl Tally {
    fn count(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            *self.end_ms.lock().unwrap() = now_ms();
            self.done.notify_one();
        }
    }

    fn reach(&self, number: usize) {
        self.left.store(number as i64, Ordering::SeqCst);
    }

    async fn ended(&self) -> f64 {
        self.done.notified().await;
        *self.end_ms.lock().unwrap()
    }
}

struct Bench<K: Resource> {
    api: Api<K>,
    kind: K::DynamicType,
    objects: usize,
    workers: u16,
    tally: Arc<Tally>,
    all: Arc<Notify>,
}

impl<K> Bench<K>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Clone + Eq + std::hash::Hash + Unpin + std::fmt::Debug + Send + Sync,
{
    async fn serve(self) {
        say(json!({"at": "idle"}));
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            let (command, argument) = line.split_once(' ').unwrap_or((&line, "0"));
            let number: usize = argument.parse().unwrap();
            match command {
                "sync" => self.sync().await,
                "settle" => {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    say(json!({"at": "settle"}));
                }
                "count" => {
                    self.tally.reach(number);
                    say(json!({"at": "armed"}));
                    say(json!({"at": "count", "endMs": self.tally.ended().await}));
                }
                "steady" => self.steady(number).await,
                "queue" => {
                    self.tally.reach(self.objects);
                    let start = now_ms();
                    self.all.notify_one();
                    say(json!({"at": "queue", "ms": self.tally.ended().await - start}));
                }
                _ => panic!("no command {command}"),
            }
        }
    }

    async fn sync(&self) {
        let start = now_ms();
        self.tally.reach(self.objects);
        if self.workers > 0 { self.start_controller() } else { self.start_reflector() }
        say(json!({"at": "sync", "ms": self.tally.ended().await - start}));
    }

    fn start_reflector(&self) {
        let writer = reflector::store::Writer::new(self.kind.clone());
        let tally = self.tally.clone();
        let events = reflector(writer, watcher(self.api.clone(), watcher::Config::default())).default_backoff();
        tokio::spawn(events.try_for_each(move |event| {
            if matches!(event, watcher::Event::Apply(_) | watcher::Event::InitApply(_)) {
                tally.count();
            }
            futures::future::ready(Ok(()))
        }));
    }

    fn start_controller(&self) {
        let all = self.all.clone();
        let trigger = futures::stream::unfold(all, |all| async move {
            all.notified().await;
            Some(((), all))
        });
        let controller = Controller::new_with(self.api.clone(), watcher::Config::default(), self.kind.clone())
            .with_config(ControllerConfig::default().concurrency(self.workers))
            .reconcile_all_on(trigger)
            .run(reconcile::<K>, |_, _, _| Action::requeue(Duration::from_secs(5)), self.tally.clone());
        tokio::spawn(controller.for_each(|_| futures::future::ready(())));
    }

    async fn steady(&self, number: usize) {
        self.tally.ages.lock().unwrap().clear();
        self.tally.reach(number);
        say(json!({"at": "armed"}));
        self.tally.ended().await;
        let mut ages = self.tally.ages.lock().unwrap().clone();
        ages.sort_by(f64::total_cmp);
        say(json!({"at": "steady", "p50": ages[ages.len() / 2], "p99": ages[ages.len() * 99 / 100]}));
    }
}

async fn reconcile<K: Resource>(object: Arc<K>, tally: Arc<Tally>) -> Result<Action, std::convert::Infallible> {
    let note = object.annotations().get("example.com/note");
    if let Some(sent) = note.and_then(|note| note.get(..16)).and_then(|text| text.parse::<f64>().ok()) {
        tally.ages.lock().unwrap().push(now_ms() - sent / 1000.0);
    }
    tally.count();
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let client = Client::try_from(Config::new(arguments[1].parse().unwrap())).unwrap();
    let (objects, workers) = (arguments[2].parse().unwrap(), arguments[3].parse().unwrap());
    let (tally, all) = (Arc::new(Tally::default()), Arc::new(Notify::new()));
    if arguments[4] == "typed" {
        let api: Api<thing::Thing> = Api::all(client);
        Bench { api, kind: (), objects, workers, tally, all }.serve().await;
    } else {
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Thing"));
        let api: Api<DynamicObject> = Api::all_with(client, &kind);
        Bench { api, kind, objects, workers, tally, all }.serve().await;
    }
}
