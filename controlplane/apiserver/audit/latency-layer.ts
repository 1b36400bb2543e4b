/** Where a request may spend its time, under upstream's names (endpoints/request/webhook_duration.go). */
export type LatencyLayer =
	| 'authentication'
	| 'impersonation'
	| 'apf-queue-wait'
	| 'authorization'
	| 'mutating-webhook'
	| 'validating-webhook'
	| 'etcd'
	/** Stored objects of a list are parsed. */
	| 'decode-response-object'
	/** The version or view that was asked for is made of them. */
	| 'transform-response-object'
	/** The answer's bytes; of a list that is sent in pieces, with the time until the client has taken them. */
	| 'serialize-response-object'
	/** Pieces wait for the client. An answer that is known in whole is sent only after it has been written down, and has none. */
	| 'response-write';
