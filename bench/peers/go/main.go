// The controller-runtime side of bench/runtime.mjs.
// Arguments: server, number of objects, workers (0: watches and counts only), typed or unstructured.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

var groupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

type tally struct {
	left atomic.Int64
	done chan time.Time
}

func (t *tally) count() {
	if t.left.Add(-1) == 0 {
		t.done <- time.Now()
	}
}

func (t *tally) reach(n int) { t.left.Store(int64(n)) }

func say(line map[string]any) {
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func ms(t time.Time) float64 { return float64(t.UnixNano()) / 1e6 }

func check(err error) {
	if err != nil {
		panic(err)
	}
}

type bench struct {
	objects int
	typed   bool
	tally   *tally
	mu      sync.Mutex
	ages    []float64
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
	client  client.Client
}

func (b *bench) object() client.Object {
	if b.typed {
		return &Thing{}
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(groupVersion.WithKind("Thing"))
	return object
}

func (b *bench) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := b.object()
	if err := b.client.Get(ctx, request.NamespacedName, object); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if sent, err := strconv.ParseInt(object.GetAnnotations()["example.com/note"][:16], 10, 64); err == nil {
		b.mu.Lock()
		b.ages = append(b.ages, float64(time.Now().UnixMicro()-sent)/1000)
		b.mu.Unlock()
	}
	b.tally.count()
	return reconcile.Result{}, nil
}

func main() {
	objects, _ := strconv.Atoi(os.Args[2])
	workers, _ := strconv.Atoi(os.Args[3])
	b := &bench{objects: objects, typed: os.Args[4] == "typed", tally: &tally{done: make(chan time.Time, 1)}}
	ctrl.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Thing{}, &ThingList{})
	addMeta(scheme)
	manager, err := ctrl.NewManager(&rest.Config{Host: os.Args[1]}, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "127.0.0.1:0"},
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	check(err)
	b.client = manager.GetClient()
	ctx := context.Background()
	if workers > 0 {
		b.addController(manager, workers)
	}
	say(map[string]any{"at": "idle"})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		command, argument, _ := strings.Cut(lines.Text(), " ")
		number, _ := strconv.Atoi(argument)
		b.serve(ctx, manager, workers, command, number)
	}
}

func (b *bench) addController(manager ctrl.Manager, workers int) {
	made, err := controller.New("thing", manager, controller.Options{MaxConcurrentReconciles: workers, Reconciler: b})
	check(err)
	check(made.Watch(source.Kind(manager.GetCache(), b.object(), &handler.EnqueueRequestForObject{})))
	check(made.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		b.queue = queue
		return nil
	})))
}

func (b *bench) serve(ctx context.Context, manager ctrl.Manager, workers int, command string, number int) {
	switch command {
	case "sync":
		start := time.Now()
		b.tally.reach(b.objects)
		go func() { check(manager.Start(ctx)) }()
		if workers == 0 {
			informer, err := manager.GetCache().GetInformer(ctx, b.object())
			check(err)
			_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
				AddFunc:    func(any) { b.tally.count() },
				UpdateFunc: func(any, any) { b.tally.count() },
			})
			check(err)
		}
		end := <-b.tally.done
		say(map[string]any{"at": "sync", "ms": ms(end) - ms(start)})
	case "settle":
		debug.FreeOSMemory()
		time.Sleep(200 * time.Millisecond)
		debug.FreeOSMemory()
		say(map[string]any{"at": "settle"})
	case "count":
		b.tally.reach(number)
		say(map[string]any{"at": "armed"})
		say(map[string]any{"at": "count", "endMs": ms(<-b.tally.done)})
	case "steady":
		b.mu.Lock()
		b.ages = nil
		b.mu.Unlock()
		b.tally.reach(number)
		say(map[string]any{"at": "armed"})
		<-b.tally.done
		sort.Float64s(b.ages)
		say(map[string]any{"at": "steady", "p50": b.ages[len(b.ages)/2], "p99": b.ages[len(b.ages)*99/100]})
	case "queue":
		b.tally.reach(b.objects)
		start := time.Now()
		for i := range b.objects {
			name := types.NamespacedName{Namespace: fmt.Sprintf("namespace-%d", i%20), Name: fmt.Sprintf("thing-%06d", i)}
			b.queue.Add(reconcile.Request{NamespacedName: name})
		}
		say(map[string]any{"at": "queue", "ms": ms(<-b.tally.done) - ms(start)})
	}
}
