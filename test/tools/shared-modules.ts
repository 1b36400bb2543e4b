/** One set of Go modules for the tools of Kubernetes 1.36. */

/**
 * Given to each of these tools beside its own modules, so that all of them choose the same version of everything that two of them need: Go compiles a package once only where
 * that and all it imports are alike, and Kubernetes' API types and client are most of what each tool is made of. The last three are what the csi-sanity suite asks for.
 */
export const SHARED_MODULES: readonly string[] = [
	'k8s.io/kubectl@v0.36.2',
	'k8s.io/component-base@v0.36.2',
	'helm.sh/helm/v3@v3.21.4',
	'sigs.k8s.io/cri-tools@v1.36.0',
	'github.com/containernetworking/plugins@v1.9.1',
	'github.com/onsi/ginkgo/v2@v2.32.1',
	'google.golang.org/grpc@v1.83.1',
	'google.golang.org/protobuf@v1.36.12',
];
