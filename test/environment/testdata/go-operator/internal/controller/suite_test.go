package controller

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	cachev1 "example.com/memcached/api/v1"
)

var (
	ctx       context.Context
	cancel    context.CancelFunc
	testEnv   *envtest.Environment
	k8sClient client.Client
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	ctx, cancel = context.WithCancel(context.TODO())
	Expect(cachev1.AddToScheme(scheme.Scheme)).To(Succeed())
	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	started := time.Now()
	cfg, err := testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	GinkgoWriter.Printf("environment ready in %v\n", time.Since(started))
	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())
	Expect((&MemcachedReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}).SetupWithManager(mgr)).To(Succeed())
	go func() {
		defer GinkgoRecover()
		Expect(mgr.Start(ctx)).To(Succeed())
	}()
})

var _ = AfterSuite(func() {
	cancel()
	Expect(testEnv.Stop()).To(Succeed())
})

func memcachedIn(namespace string, size int32) *cachev1.Memcached {
	return &cachev1.Memcached{
		ObjectMeta: metav1.ObjectMeta{Name: "sample", Namespace: namespace},
		Spec:       cachev1.MemcachedSpec{Size: size},
	}
}

var _ = Describe("Memcached Controller", func() {
	It("reconciles a resource", func() {
		memcached := memcachedIn("default", 2)
		Expect(k8sClient.Create(ctx, memcached)).To(Succeed())
		deployment := &appsv1.Deployment{}
		Eventually(func() error {
			return k8sClient.Get(ctx, client.ObjectKeyFromObject(memcached), deployment)
		}, "10s").Should(Succeed())
		Expect(*deployment.Spec.Replicas).To(Equal(int32(2)))
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(memcached), memcached)).To(Succeed())
			g.Expect(memcached.Status.Ready).To(BeTrue())
		}, "10s").Should(Succeed())
	})

	It("rejects an invalid resource", func() {
		Expect(apierrors.IsInvalid(k8sClient.Create(ctx, memcachedIn("default", 9)))).To(BeTrue())
	})

	It("runs a second environment next to the first", func() {
		other := &envtest.Environment{}
		cfg, err := other.Start()
		Expect(err).NotTo(HaveOccurred())
		defer func() { Expect(other.Stop()).To(Succeed()) }()
		otherClient, err := client.New(cfg, client.Options{Scheme: scheme.Scheme})
		Expect(err).NotTo(HaveOccurred())
		Expect(otherClient.List(ctx, &cachev1.MemcachedList{})).NotTo(Succeed())
	})

	It("collects owned objects and deletes namespaces if their controllers run", func() {
		if !strings.Contains(os.Getenv("KUBEWRIGHT_COMPONENTS"), "garbage-collector-controller") {
			Skip("KUBEWRIGHT_COMPONENTS does not list the garbage collector")
		}
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "goes"}}
		Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
		memcached := memcachedIn("goes", 1)
		Expect(k8sClient.Create(ctx, memcached)).To(Succeed())
		key := client.ObjectKeyFromObject(memcached)
		Eventually(func() error { return k8sClient.Get(ctx, key, &appsv1.Deployment{}) }, "10s").Should(Succeed())
		Expect(k8sClient.Delete(ctx, memcached)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, key, &appsv1.Deployment{}))
		}, "20s").Should(BeTrue())
		Expect(k8sClient.Delete(ctx, namespace)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, client.ObjectKeyFromObject(namespace), namespace))
		}, "20s").Should(BeTrue())
	})
})
