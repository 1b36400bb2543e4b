/**
 * The default ClusterRoleBindings and RoleBindings (facts of Kubernetes 1.36), in the notation of rbac-text.ts. Data, not code.
 */

export const CLUSTER_ROLE_BINDING_TEXT = `
cluster-admin = ClusterRole cluster-admin : group system:masters
system:basic-user = ClusterRole system:basic-user : group system:authenticated
system:controller:attachdetach-controller = ClusterRole system:controller:attachdetach-controller : sa kube-system/attachdetach-controller
system:controller:certificate-controller = ClusterRole system:controller:certificate-controller : sa kube-system/certificate-controller
system:controller:clusterrole-aggregation-controller = ClusterRole system:controller:clusterrole-aggregation-controller : sa kube-system/clusterrole-aggregation-controller
system:controller:cronjob-controller = ClusterRole system:controller:cronjob-controller : sa kube-system/cronjob-controller
system:controller:daemon-set-controller = ClusterRole system:controller:daemon-set-controller : sa kube-system/daemon-set-controller
system:controller:deployment-controller = ClusterRole system:controller:deployment-controller : sa kube-system/deployment-controller
system:controller:device-taint-eviction-controller = ClusterRole system:controller:device-taint-eviction-controller : sa kube-system/device-taint-eviction-controller
system:controller:disruption-controller = ClusterRole system:controller:disruption-controller : sa kube-system/disruption-controller
system:controller:endpoint-controller = ClusterRole system:controller:endpoint-controller : sa kube-system/endpoint-controller
system:controller:endpointslice-controller = ClusterRole system:controller:endpointslice-controller : sa kube-system/endpointslice-controller
system:controller:endpointslicemirroring-controller = ClusterRole system:controller:endpointslicemirroring-controller : sa kube-system/endpointslicemirroring-controller
system:controller:ephemeral-volume-controller = ClusterRole system:controller:ephemeral-volume-controller : sa kube-system/ephemeral-volume-controller
system:controller:expand-controller = ClusterRole system:controller:expand-controller : sa kube-system/expand-controller
system:controller:generic-garbage-collector = ClusterRole system:controller:generic-garbage-collector : sa kube-system/generic-garbage-collector
system:controller:horizontal-pod-autoscaler = ClusterRole system:controller:horizontal-pod-autoscaler : sa kube-system/horizontal-pod-autoscaler
system:controller:job-controller = ClusterRole system:controller:job-controller : sa kube-system/job-controller
system:controller:legacy-service-account-token-cleaner = ClusterRole system:controller:legacy-service-account-token-cleaner : sa kube-system/legacy-service-account-token-cleaner
system:controller:namespace-controller = ClusterRole system:controller:namespace-controller : sa kube-system/namespace-controller
system:controller:node-controller = ClusterRole system:controller:node-controller : sa kube-system/node-controller
system:controller:persistent-volume-binder = ClusterRole system:controller:persistent-volume-binder : sa kube-system/persistent-volume-binder
system:controller:pod-garbage-collector = ClusterRole system:controller:pod-garbage-collector : sa kube-system/pod-garbage-collector
system:controller:pv-protection-controller = ClusterRole system:controller:pv-protection-controller : sa kube-system/pv-protection-controller
system:controller:pvc-protection-controller = ClusterRole system:controller:pvc-protection-controller : sa kube-system/pvc-protection-controller
system:controller:replicaset-controller = ClusterRole system:controller:replicaset-controller : sa kube-system/replicaset-controller
system:controller:replication-controller = ClusterRole system:controller:replication-controller : sa kube-system/replication-controller
system:controller:resource-claim-controller = ClusterRole system:controller:resource-claim-controller : sa kube-system/resource-claim-controller
system:controller:resourcequota-controller = ClusterRole system:controller:resourcequota-controller : sa kube-system/resourcequota-controller
system:controller:root-ca-cert-publisher = ClusterRole system:controller:root-ca-cert-publisher : sa kube-system/root-ca-cert-publisher
system:controller:route-controller = ClusterRole system:controller:route-controller : sa kube-system/route-controller
system:controller:selinux-warning-controller = ClusterRole system:controller:selinux-warning-controller : sa kube-system/selinux-warning-controller
system:controller:service-account-controller = ClusterRole system:controller:service-account-controller : sa kube-system/service-account-controller
system:controller:service-cidrs-controller = ClusterRole system:controller:service-cidrs-controller : sa kube-system/service-cidrs-controller
system:controller:service-controller = ClusterRole system:controller:service-controller : sa kube-system/service-controller
system:controller:statefulset-controller = ClusterRole system:controller:statefulset-controller : sa kube-system/statefulset-controller
system:controller:ttl-after-finished-controller = ClusterRole system:controller:ttl-after-finished-controller : sa kube-system/ttl-after-finished-controller
system:controller:ttl-controller = ClusterRole system:controller:ttl-controller : sa kube-system/ttl-controller
system:controller:validatingadmissionpolicy-status-controller = ClusterRole system:controller:validatingadmissionpolicy-status-controller : sa kube-system/validatingadmissionpolicy-status-controller
system:controller:volumeattributesclass-protection-controller = ClusterRole system:controller:volumeattributesclass-protection-controller : sa kube-system/volumeattributesclass-protection-controller
system:discovery = ClusterRole system:discovery : group system:authenticated
system:kube-controller-manager = ClusterRole system:kube-controller-manager : user system:kube-controller-manager
system:kube-dns = ClusterRole system:kube-dns : sa kube-system/kube-dns
system:kube-scheduler = ClusterRole system:kube-scheduler : user system:kube-scheduler
system:monitoring = ClusterRole system:monitoring : group system:monitoring
system:node = ClusterRole system:node :
system:node-proxier = ClusterRole system:node-proxier : user system:kube-proxy
system:public-info-viewer = ClusterRole system:public-info-viewer : group system:authenticated, group system:unauthenticated
system:service-account-issuer-discovery = ClusterRole system:service-account-issuer-discovery : group system:serviceaccounts
system:volume-scheduler = ClusterRole system:volume-scheduler : user system:kube-scheduler
`;

export const ROLE_BINDING_TEXT = `
kube-public/system:controller:bootstrap-signer = Role system:controller:bootstrap-signer : sa kube-system/bootstrap-signer
kube-system/system::extension-apiserver-authentication-reader = Role extension-apiserver-authentication-reader : user system:kube-controller-manager, user system:kube-scheduler
kube-system/system::leader-locking-kube-controller-manager = Role system::leader-locking-kube-controller-manager : user system:kube-controller-manager, sa kube-system/kube-controller-manager, sa kube-system/leader-election-controller
kube-system/system::leader-locking-kube-scheduler = Role system::leader-locking-kube-scheduler : user system:kube-scheduler, sa kube-system/kube-scheduler
kube-system/system:controller:bootstrap-signer = Role system:controller:bootstrap-signer : sa kube-system/bootstrap-signer
kube-system/system:controller:cloud-provider = Role system:controller:cloud-provider : sa kube-system/cloud-provider
kube-system/system:controller:token-cleaner = Role system:controller:token-cleaner : sa kube-system/token-cleaner
`;
