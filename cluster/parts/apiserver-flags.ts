/** The API server's flags that upstream's has too, by its names: how they are given, and what they say. Data. */

/** A file's path, several files', words separated by commas, a number, yes or no, a span of time ("2m"), or one text. */
export type FlagType = 'file' | 'files' | 'list' | 'number' | 'bool' | 'duration' | 'text';

/** Values as they are kept in a configuration: texts, lists of texts, numbers and booleans. */
export type FlagValue = string | number | boolean | readonly string[];
export type ApiserverFlags = { readonly [flag: string]: FlagValue };

const batch = (plugin: 'log' | 'webhook'): readonly (readonly [string, FlagType, string])[] => [
	[`audit-${plugin}-mode`, 'text', `batch, blocking or blocking-strict (default: ${plugin === 'log' ? 'blocking' : 'batch'})`],
	[`audit-${plugin}-truncate-enabled`, 'bool', 'events that are too large lose their objects (default: false)'],
	[`audit-${plugin}-truncate-max-event-size`, 'number', 'bytes that are too large (default: 102400)'],
	[`audit-${plugin}-truncate-max-batch-size`, 'number', 'at least as much; events are looked at one by one (default: 10485760)'],
	[`audit-${plugin}-batch-buffer-size`, 'number', 'events held at most by the mode batch; more are lost (default: 10000)'],
	[`audit-${plugin}-batch-max-size`, 'number', `events sent at once (default: ${plugin === 'log' ? 1 : 400})`],
	[`audit-${plugin}-batch-max-wait`, 'duration', `how long an event waits for others (default: ${plugin === 'log' ? '0' : '30s'})`],
	[`audit-${plugin}-batch-throttle-enable`, 'bool', `not too many batches a second (default: ${plugin === 'webhook'})`],
	[`audit-${plugin}-batch-throttle-qps`, 'number', 'batches a second (default: 10)'],
	[`audit-${plugin}-batch-throttle-burst`, 'number', 'batches at once after a pause (default: 15)'],
];

export const APISERVER_FLAGS: readonly (readonly [name: string, type: FlagType, what: string])[] = [
	['authorization-mode', 'list', 'who is asked, in order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny (default: Node,RBAC)'],
	['authorization-config', 'file', "upstream's AuthorizationConfiguration, instead of the mode; read again when it changes"],
	['authorization-policy-file', 'file', 'policies of the mode ABAC, one a line'],
	['authorization-webhook-config-file', 'file', 'how to reach the authorization webhook, in kubeconfig form'],
	['authorization-webhook-version', 'text', 'of the SubjectAccessReviews: v1 or v1beta1 (default: v1beta1)'],
	['authorization-webhook-cache-authorized-ttl', 'duration', 'how long its yes counts (default: 5m)'],
	['authorization-webhook-cache-unauthorized-ttl', 'duration', 'how long its no counts (default: 30s)'],
	[
		'anonymous-auth',
		'bool',
		'requests without credentials are system:anonymous (default: true); never where --authorization-mode has AlwaysAllow',
	],
	[
		'authentication-config',
		'file',
		"upstream's AuthenticationConfiguration: OpenID Connect issuers, anonymous paths; read again when it changes",
	],
	['oidc-issuer-url', 'text', 'an OpenID Connect issuer whose tokens are believed'],
	['oidc-client-id', 'text', 'whom its tokens must be meant for'],
	['oidc-ca-file', 'file', "CA of the issuer's certificate (default: the system's)"],
	['oidc-username-claim', 'text', 'the claim with the user (default: sub)'],
	['oidc-username-prefix', 'text', 'before the user; "-" for none (default: the issuer and "#", none for the claim email)'],
	['oidc-groups-claim', 'text', 'the claim with the groups'],
	['oidc-groups-prefix', 'text', 'before each group'],
	['oidc-required-claim', 'list', 'claims that tokens must have, NAME=VALUE'],
	['oidc-signing-algs', 'list', 'algorithms of its signatures (default: RS256)'],
	['authentication-token-webhook-config-file', 'file', 'how to reach the service that knows tokens, in kubeconfig form'],
	['authentication-token-webhook-version', 'text', 'of the TokenReviews: v1 or v1beta1 (default: v1beta1)'],
	['authentication-token-webhook-cache-ttl', 'duration', 'how long its answers count (default: 2m)'],
	['enable-bootstrap-token-auth', 'bool', 'secrets of kube-system with which nodes join (default: true)'],
	['token-auth-file', 'file', 'lines of token,user,uid,"group,group"'],
	['requestheader-client-ca-file', 'file', 'CA of proxies that authenticate users themselves'],
	['requestheader-allowed-names', 'list', 'common names of their certificates (default: any)'],
	['requestheader-username-headers', 'list', 'headers with the user (default: X-Remote-User)'],
	['requestheader-uid-headers', 'list', 'headers with its uid'],
	['requestheader-group-headers', 'list', 'headers with its groups (default: X-Remote-Group)'],
	['requestheader-extra-headers-prefix', 'list', 'what headers with more of it begin with (default: X-Remote-Extra-)'],
	['proxy-client-cert-file', 'file', "the certificate shown to aggregated API servers (default: the cluster's own)"],
	['proxy-client-key-file', 'file', 'its key'],
	['service-account-key-file', 'files', 'further keys whose tokens are good: former signing keys'],
	['service-account-issuer', 'list', 'issuers of service account tokens; the first one signs'],
	['service-account-max-token-expiration', 'duration', 'how long tokens live at most that are asked for (default: 0, no bound)'],
	[
		'service-account-extend-token-expiration',
		'bool',
		'tokens that pods get without asking live a year, and are remarked on from the hour on that they were meant for (default: true)',
	],
	['service-account-jwks-uri', 'text', 'where others find the keys (default: at the advertised address)'],
	['api-audiences', 'list', 'whom tokens must be meant for (default: the issuers)'],
	['enable-admission-plugins', 'list', 'admission plugins that run beside the usual ones'],
	['disable-admission-plugins', 'list', 'usual admission plugins that do not run'],
	['admission-control-config-file', 'file', "upstream's AdmissionConfiguration: what single plugins are told"],
	['audit-policy-file', 'file', "upstream's audit Policy: how much is written down of which request"],
	['audit-log-path', 'file', 'where it is written down; "-" for standard out'],
	['audit-log-maxage', 'number', 'days for which old files are kept; 0: whatever their age (default: 366)'],
	['audit-log-maxbackup', 'number', 'old files that are kept; 0: all (default: 100)'],
	['audit-log-maxsize', 'number', 'megabytes of a file; 0: never rotated (default: 100)'],
	['audit-log-format', 'text', 'json or legacy, one line of text an event (default: json)'],
	['audit-log-compress', 'bool', 'old files are compressed (default: false)'],
	['audit-log-version', 'text', 'of the events: audit.k8s.io/v1, the only one there is'],
	...batch('log'),
	['audit-webhook-config-file', 'file', 'how to reach a service that gets the events, in kubeconfig form'],
	['audit-webhook-initial-backoff', 'duration', 'before the first retry (default: 10s)'],
	['audit-webhook-batch-initial-backoff', 'duration', 'former name of audit-webhook-initial-backoff'],
	['audit-webhook-version', 'text', 'of the events: audit.k8s.io/v1, the only one there is'],
	...batch('webhook'),
	[
		'encryption-provider-config-automatic-reload',
		'bool',
		'the file of --encryption-provider-config is read again when it changes (default: false)',
	],
	['enable-priority-and-fairness', 'bool', 'who is served first when there is more than can be served (default: true)'],
	[
		'max-requests-inflight',
		'number',
		'requests served at once, with the next one; without fairness those that read, 0 for all (default: 400)',
	],
	['max-mutating-requests-inflight', 'number', 'and of those that write (default: 200)'],
	[
		'kubelet-preferred-address-types',
		'list',
		"which of a node's addresses reach its kubelet, in order (default: InternalIP,ExternalIP,Hostname,InternalDNS,ExternalDNS)",
	],
	['event-ttl', 'duration', 'how long Events are kept (default: 1h)'],
	[
		'etcd-compaction-interval',
		'duration',
		'how often old versions are forgotten, all but those of the last so long; 0: never (default: 5m)',
	],
	['etcd-healthcheck-timeout', 'duration', 'how long the check "etcd" waits for the store (default: 2s)'],
	['etcd-readycheck-timeout', 'duration', 'and the check "etcd-readiness" (default: 2s)'],
	['lease-reuse-duration-seconds', 'number', 'for how long keys that end share a lease of etcd, at most (default: 60)'],
	['storage-media-type', 'text', 'how objects lie in etcd: application/vnd.kubernetes.protobuf (default) or application/json'],
	['min-request-timeout', 'number', 'seconds that watches last at least whose clients do not say it (default: 1800)'],
	['request-timeout', 'duration', 'how long a request may take that is no watch or stream; a write of one object 34s at most (default: 1m)'],
	['goaway-chance', 'number', 'the part of the requests over HTTP/2 that move their connection elsewhere, 0 to 0.02 (default: 0)'],
	['shutdown-delay-duration', 'duration', 'how long it serves on after it was told to stop, not ready any more (default: 0)'],
	['shutdown-watch-termination-grace-period', 'duration', 'over how long watches end when it stops (default: 0, all at once)'],
	[
		'shutdown-send-retry-after',
		'bool',
		'takes connections until all requests are served, and answers what comes with 429 (default: false)',
	],
	['profiling', 'bool', 'serves /debug/pprof to those who may (default: true)'],
];

/** Flags that are on their way out, and what stands in their place. */
export const DEPRECATED_FLAGS: Readonly<Record<string, string>> = {
	'audit-webhook-batch-initial-backoff': 'audit-webhook-initial-backoff',
};
