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
];

export const APISERVER_FLAGS: readonly (readonly [name: string, type: FlagType, what: string])[] = [
	['authorization-mode', 'list', 'who is asked, in order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny (default: Node,RBAC)'],
	['authorization-config', 'file', "upstream's AuthorizationConfiguration, instead of the mode; read again when it changes"],
	['authorization-policy-file', 'file', 'policies of the mode ABAC, one a line'],
	['authorization-webhook-config-file', 'file', 'how to reach the authorization webhook, in kubeconfig form'],
	['authorization-webhook-version', 'text', 'of the SubjectAccessReviews: v1 or v1beta1 (default: v1beta1)'],
	['authorization-webhook-cache-authorized-ttl', 'duration', 'how long its yes counts (default: 5m)'],
	['authorization-webhook-cache-unauthorized-ttl', 'duration', 'how long its no counts (default: 30s)'],
	['anonymous-auth', 'bool', 'requests without credentials are system:anonymous (default: true)'],
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
	['service-account-jwks-uri', 'text', 'where others find the keys (default: at the advertised address)'],
	['api-audiences', 'list', 'whom tokens must be meant for (default: the issuers)'],
	['enable-admission-plugins', 'list', 'admission plugins that run beside the usual ones'],
	['disable-admission-plugins', 'list', 'usual admission plugins that do not run'],
	['audit-policy-file', 'file', "upstream's audit Policy: how much is written down of which request"],
	['audit-log-path', 'file', 'where it is written down; "-" for standard out'],
	['audit-log-maxage', 'number', 'days for which old files are kept (default: 0, whatever their age)'],
	['audit-log-maxbackup', 'number', 'old files that are kept (default: 0, all)'],
	['audit-log-maxsize', 'number', 'megabytes of a file (default: 0, never rotated)'],
	['audit-log-compress', 'bool', 'old files are compressed (default: false)'],
	...batch('log'),
	['audit-webhook-config-file', 'file', 'how to reach a service that gets the events, in kubeconfig form'],
	['audit-webhook-batch-buffer-size', 'number', 'events held at most (default: 10000)'],
	['audit-webhook-batch-max-size', 'number', 'events sent at once (default: 400)'],
	['audit-webhook-batch-max-wait', 'duration', 'how long an event waits for others (default: 30s)'],
	['audit-webhook-batch-throttle-enable', 'bool', 'not too many batches a second (default: true)'],
	['audit-webhook-batch-throttle-qps', 'number', 'batches a second (default: 10)'],
	['audit-webhook-batch-throttle-burst', 'number', 'batches at once after a pause (default: 15)'],
	['audit-webhook-initial-backoff', 'duration', 'before the first retry (default: 10s)'],
	...batch('webhook'),
	['enable-priority-and-fairness', 'bool', 'who is served first when there is more than can be served (default: true)'],
	['max-requests-inflight', 'number', 'requests served at once, with the next one (default: 400)'],
	['max-mutating-requests-inflight', 'number', 'and of those that write (default: 200)'],
	['shutdown-delay-duration', 'duration', 'how long it serves on after it was told to stop, not ready any more (default: 0)'],
	['profiling', 'bool', 'serves /debug/pprof to those who may (default: true)'],
];
