// An operator on controller-runtime that does what test/runtime/go-interop.test.ts lets ours do, for ../record.mjs.
// Arguments: namespace, identity. KUBECONFIG names the cluster; metrics are on the printed port; logs go to stderr.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	manager   = "note"
	finalizer = "runtime.example.com/cleanup"
)

var noteKind = schema.GroupVersionKind{Group: "runtime.example.com", Version: "v1", Kind: "Note"}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newNote() *unstructured.Unstructured {
	note := &unstructured.Unstructured{}
	note.SetGroupVersionKind(noteKind)
	return note
}

type reconciler struct {
	client client.Client
	scheme *runtime.Scheme
}

func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	note := newNote()
	if err := r.client.Get(ctx, request.NamespacedName, note); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	log.FromContext(ctx).Info("reconciling", "text", "given")
	if request.Name == "fails" {
		return reconcile.Result{}, errors.New("told to fail")
	}
	if controllerutil.ContainsFinalizer(note, finalizer) == false {
		before := note.DeepCopy()
		controllerutil.AddFinalizer(note, finalizer)
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.client.Patch(ctx, note, patch, client.FieldOwner(manager)); err != nil {
			return reconcile.Result{}, err
		}
	}
	text, _, _ := unstructured.NestedString(note.Object, "spec", "text")
	if err := r.copy(ctx, note, text); err != nil {
		return reconcile.Result{}, err
	}
	status := newNote()
	status.SetName(note.GetName())
	status.SetNamespace(note.GetNamespace())
	status.Object["status"] = map[string]any{"text": text, "by": "operator"}
	configuration := client.ApplyConfigurationFromUnstructured(status)
	return reconcile.Result{}, r.client.Status().Apply(ctx, configuration, client.FieldOwner(manager), client.ForceOwnership)
}

func (r *reconciler) copy(ctx context.Context, note *unstructured.Unstructured, text string) error {
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: note.GetName(), Namespace: note.GetNamespace()}}
	check(controllerutil.SetControllerReference(note, owned, r.scheme))
	copied := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"data":       map[string]any{"text": text, "by": "operator"},
	}}
	copied.SetName(note.GetName())
	copied.SetNamespace(note.GetNamespace())
	copied.SetOwnerReferences(owned.OwnerReferences)
	configuration := client.ApplyConfigurationFromUnstructured(copied)
	return r.client.Apply(ctx, configuration, client.FieldOwner(manager), client.ForceOwnership)
}

func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func main() {
	namespace, identity := os.Args[1], os.Args[2]
	ctrl.SetLogger(zap.New(zap.UseDevMode(false)))
	scheme := runtime.NewScheme()
	check(clientgoscheme.AddToScheme(scheme))
	config := ctrl.GetConfigOrDie()
	port := freePort()
	lease, renew, retry := 4*time.Second, 3*time.Second, 400*time.Millisecond
	lock, err := resourcelock.NewFromKubeconfig(
		resourcelock.LeasesResourceLock, namespace, "notes", resourcelock.ResourceLockConfig{Identity: identity}, config, renew)
	check(err)
	made, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                              scheme,
		Cache:                               cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics:                             server.Options{BindAddress: fmt.Sprintf("127.0.0.1:%d", port)},
		LeaderElection:                      true,
		LeaderElectionReleaseOnCancel:       true,
		LeaderElectionResourceLockInterface: lock,
		LeaseDuration:                       &lease,
		RenewDeadline:                       &renew,
		RetryPeriod:                         &retry,
		Client:                              client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	check(err)
	check(ctrl.NewControllerManagedBy(made).
		For(newNote()).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{client: made.GetClient(), scheme: scheme}))
	fmt.Printf("metrics %d\n", port)
	go func() {
		<-made.Elected()
		fmt.Println("leads")
	}()
	check(made.Start(ctrl.SetupSignalHandler()))
	fmt.Println("ended")
}
