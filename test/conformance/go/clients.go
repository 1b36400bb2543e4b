package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	toolswatch "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

// clients runs each client of client-go once; each prints its name when it saw what it must.
func clients(ctx context.Context, config *rest.Config, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	for _, encoding := range []struct {
		name   string
		config *rest.Config
	}{{"protobuf", protobuf(config)}, {"json", config}} {
		client, err := kubernetes.NewForConfig(encoding.config)
		if err != nil {
			return err
		}
		for _, one := range []struct {
			name string
			run  func(context.Context, kubernetes.Interface, string, string) error
		}{{"informer", informer}, {"watch", retryWatcher}, {"apply", applied}, {"leader election", election}} {
			if err := one.run(ctx, client, namespace, encoding.name); err != nil {
				return fmt.Errorf("%s (%s): %w", one.name, encoding.name, err)
			}
			fmt.Println("ok:", one.name, encoding.name)
		}
	}
	if err := metadataInformer(ctx, config, namespace); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	fmt.Println("ok: metadata")
	return nil
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: map[string]string{"n": "0"}}
}

func eventually(ctx context.Context, what string, seen func() bool) error {
	for until := time.Now().Add(20 * time.Second); !seen(); {
		if time.Now().After(until) || ctx.Err() != nil {
			return fmt.Errorf("not seen: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// informer lists and watches as client-go does (a watch list first), and must hold exactly what is there.
func informer(ctx context.Context, client kubernetes.Interface, namespace, encoding string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	maps := client.CoreV1().ConfigMaps(namespace)
	set := labels.Set{"informer": encoding}
	name := func(i int) string { return fmt.Sprintf("informer-%s-%d", encoding, i) }
	for i := range 20 {
		if _, err := maps.Create(ctx, configMap(name(i), set), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = set.String() }))
	lister := factory.Core().V1().ConfigMaps().Lister().ConfigMaps(namespace)
	var lock sync.Mutex
	counts := map[string]int{}
	count := func(what string) { lock.Lock(); counts[what]++; lock.Unlock() }
	counted := func(what string) int { lock.Lock(); defer lock.Unlock(); return counts[what] }
	if _, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { count("add") },
		UpdateFunc: func(any, any) { count("update") },
		DeleteFunc: func(any) { count("delete") },
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v did not sync", kind)
		}
	}
	if all, err := lister.List(labels.Everything()); err != nil || len(all) != 20 {
		return fmt.Errorf("%d objects after the first sync, %v", len(all), err)
	}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := maps.Get(ctx, name(0), metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Data["n"] = "1"
		_, err = maps.Update(ctx, current, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	if _, err := maps.Patch(ctx, name(1), types.StrategicMergePatchType, []byte(`{"data":{"n":"2"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, name(2), metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "the informer is up to date", func() bool {
		one, err := lister.Get(name(1))
		_, gone := lister.Get(name(2))
		return err == nil && one.Data["n"] == "2" && errors.IsNotFound(gone) &&
			counted("add") == 20 && counted("update") == 2 && counted("delete") == 1
	})
}

// retryWatcher resumes from a resource version and must see every change once, in order.
func retryWatcher(ctx context.Context, client kubernetes.Interface, namespace, encoding string) error {
	maps := client.CoreV1().ConfigMaps(namespace)
	name := "watched-" + encoding
	made, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	watcher, err := toolswatch.NewRetryWatcherWithContext(ctx, made.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = "metadata.name=" + name
			return maps.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for i := 1; i <= 5; i++ {
		body := fmt.Appendf(nil, `{"data":{"n":"%d"}}`, i)
		if _, err := maps.Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	for i := 1; i <= 6; i++ {
		select {
		case event := <-watcher.ResultChan():
			got, ok := event.Object.(*corev1.ConfigMap)
			want := watch.Modified
			if i == 6 {
				want = watch.Deleted
			}
			if !ok || event.Type != want || got.Data["n"] != fmt.Sprint(min(i, 5)) {
				return fmt.Errorf("event %d: %s %v", i, event.Type, event.Object)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// applied: two managers of one object, a conflict, and force.
func applied(ctx context.Context, client kubernetes.Interface, namespace, encoding string) error {
	maps := client.CoreV1().ConfigMaps(namespace)
	name := "applied-" + encoding
	with := func(data map[string]string) *corev1apply.ConfigMapApplyConfiguration {
		return corev1apply.ConfigMap(name, namespace).WithData(data)
	}
	if _, err := maps.Apply(ctx, with(map[string]string{"a": "1", "b": "1"}), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	if _, err := maps.Apply(ctx, with(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two"}); !errors.IsConflict(err) {
		return fmt.Errorf("wanted a conflict, got %v", err)
	}
	if _, err := maps.Apply(ctx, with(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two", Force: true}); err != nil {
		return err
	}
	// The first gives up what it no longer names; the second keeps what it took.
	after, err := maps.Apply(ctx, with(map[string]string{}), metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	if len(after.Data) != 1 || after.Data["a"] != "2" {
		return fmt.Errorf("left: %v", after.Data)
	}
	return nil
}

// election: of two candidates one leads; when it lets go, the other does.
func election(ctx context.Context, client kubernetes.Interface, namespace, encoding string) error {
	led := make(chan string, 10)
	candidate := func(id string) context.CancelFunc {
		ctx, cancel := context.WithCancel(ctx)
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "election-" + encoding, Namespace: namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: id},
		}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { led <- id }, OnStoppedLeading: func() {}},
		})
		return cancel
	}
	stops := map[string]context.CancelFunc{"a": candidate("a"), "b": candidate("b")}
	defer stops["a"]()
	defer stops["b"]()
	first := <-led
	select {
	case both := <-led:
		return fmt.Errorf("%s and %s lead", first, both)
	case <-time.After(time.Second):
	}
	stops[first]()
	select {
	case second := <-led:
		if second == first {
			return fmt.Errorf("%s leads again", first)
		}
		lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "election-"+encoding, metav1.GetOptions{})
		if err != nil || *lease.Spec.HolderIdentity != second || *lease.Spec.LeaseTransitions < 1 {
			return fmt.Errorf("lease %v, %v", lease, err)
		}
		return nil
	case <-time.After(20 * time.Second):
		return fmt.Errorf("nobody follows %s", first)
	}
}

// metadataInformer reads objects as PartialObjectMetadata.
func metadataInformer(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	list, err := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(namespace).
		List(ctx, metav1.ListOptions{LabelSelector: "informer=json"})
	if err != nil {
		return err
	}
	if len(list.Items) != 19 || list.Items[0].UID == "" {
		return fmt.Errorf("%d items", len(list.Items))
	}
	return nil
}
