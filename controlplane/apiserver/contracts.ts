/**
 * The types at which the parts of the apiserver meet: who asks, what for, and what may change or refuse it.
 * authn -> authz -> decode, convert, default -> mutating admission -> strategy (prepare, validate) -> validating admission -> commit.
 */
import type { Duplex, Readable } from 'node:stream';
import type { KubeObject, Key, Resource } from '../../api/resource.ts';
import type { AppError } from '../../base/errors.ts';
import type { SentEvent } from '../../client/watch-event.ts';
import type { PushedBody } from './answer/pushed-body.ts';
import type { LatencyLayer } from './audit/latency-layer.ts';
import type { Selectors } from './authz/selectors.ts';

/** Who asks. Groups system:authenticated / system:unauthenticated are added by the authenticator chain. */
export interface UserInfo {
	readonly name: string;
	readonly uid: string;
	readonly groups: readonly string[];
	readonly extra: Readonly<Record<string, readonly string[]>>;
	/** What is to be said of the credentials in each answer; absent where there is nothing. */
	readonly remarks?: (() => CredentialRemarks) | undefined;
}

export interface CredentialRemarks {
	/** For the audit log. */
	readonly notes: readonly (readonly [key: string, value: string])[];
	readonly warnings: readonly string[];
}

/** Headers that may come several times: absent, lines of one name are joined by commas. */
export interface HeaderLines {
	/** The value of each line of that name, in lower case; commas in them stay. */
	lines(name: string): readonly string[];
	/** Whether any name begins so, in lower case. */
	anyBeginning(prefix: string): boolean;
}

/** What an authenticator sees of a connection and its request. */
export interface Credentials {
	/** Lower-case names. */
	readonly headers: Readonly<Record<string, string | undefined>>;
	readonly repeated?: HeaderLines | undefined;
	/** DER of the client certificate, verified to come with its private key but not yet checked against a CA. */
	readonly clientCertificate: Uint8Array | undefined;
	/** DER of those that came with it, between it and a CA; asked for once a connection. */
	readonly intermediates?: (() => readonly Uint8Array[]) | undefined;
	/** The header of that name, as the very string that the connection's last request had, where they are equal. */
	readonly authorization?: string | undefined;
	/** Of the request, without its query. */
	readonly path?: string | undefined;
}

export interface Authenticator {
	/** Undefined: these credentials are not mine. Throws StatusError Unauthorized for bad ones. */
	authenticate(credentials: Credentials, signal: AbortSignal): Promise<UserInfo | undefined>;
	/** What `authenticate` would answer, at once, for credentials seen before that are still good; undefined where only it can tell. */
	recall?(credentials: Credentials): UserInfo | 'not mine' | undefined;
}

/** What is asked for, as RBAC and the review APIs see it. */
export type Attributes =
	| {
			readonly type: 'resource';
			readonly user: UserInfo;
			/** get, list, watch, create, update, patch, delete, deletecollection, and free verbs (impersonate, bind, …). */
			readonly verb: string;
			readonly group: string;
			readonly version: string;
			readonly resource: string;
			/** '' for none. */
			readonly subresource: string;
			/** '' for cluster-scoped or all namespaces. */
			readonly namespace: string;
			readonly name: string;
			/** Fields to which a field selector pins a list or watch: "spec.nodeName" -> "n1". */
			readonly pinned?: Readonly<Record<string, string>> | undefined;
			/** All that the selectors ask for; for those who hand the question on. */
			readonly selectors?: (() => Selectors) | undefined;
			/** The same object whenever the same user asks for the same: a decision may be kept by it. */
			readonly lasting?: boolean;
	  }
	| { readonly type: 'path'; readonly user: UserInfo; readonly verb: string; readonly path: string; readonly lasting?: boolean };

export interface Decision {
	readonly allowed: boolean;
	/** A deny ends the chain; otherwise the next authorizer is asked. */
	readonly denied: boolean;
	readonly reason: string;
	/** What kept an authorizer from deciding. */
	readonly error?: string | undefined;
}

export interface Authorizer {
	authorize(attributes: Attributes, signal: AbortSignal): Promise<Decision>;
	/** The same decision at once, where all it needs is in memory. */
	decide?(attributes: Attributes): Decision;
}

/** One write on its way to the store. `object` may be changed by mutating plugins (never replaced); undefined for deletes and connects. */
export interface AdmissionAttributes {
	readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
	readonly user: UserInfo;
	readonly group: string;
	readonly version: string;
	readonly kind: string;
	/** Of the kind, where what is posted is of another group than the resource (an Eviction of a pod). */
	readonly kindGroup?: string | undefined;
	readonly kindVersion?: string | undefined;
	readonly resource: string;
	readonly subresource: string;
	readonly namespace: string;
	readonly name: string;
	object: KubeObject | undefined;
	readonly oldObject: KubeObject | undefined;
	/** CreateOptions, UpdateOptions, DeleteOptions, … */
	readonly options: object;
	readonly dryRun: boolean;
	/** Texts for `Warning: 299` headers. */
	readonly warn: (text: string) => void;
	/** What the client asked for, where the objects are in another version of it. */
	readonly requested?: { readonly group: string; readonly version: string; readonly kind: string; readonly resource: string } | undefined;
	/** Notes for the audit log. @param level below which it is left out */
	readonly annotate?: ((key: string, value: string, level?: 'Request') => void) | undefined;
	/** Told of the time that calls took, for the audit log and for metrics. */
	readonly took?: ((layer: LatencyLayer, ms: number) => void) | undefined;
	/** Shared by the mutating plugins of one write, which may run twice. */
	readonly reinvocation?: Reinvocation | undefined;
}

/** Whether the mutating plugins run a second time; `admission/reinvocation.ts` has it. */
export interface Reinvocation {
	isSecond: boolean;
	wantsSecond: boolean;
	/** The plugin begins: in the second round, a change by others makes it ask all again that allow it. */
	begin(plugin: string, object: KubeObject | undefined): ReinvocationRounds;
	/** Something the plugin asked changed the object: those before it look again. */
	changed(plugin: string): void;
}

/** What one plugin remembers between its two rounds. */
export interface ReinvocationRounds {
	/** Asked in the first round, and willing to be asked again. */
	readonly asked: Set<string>;
	readonly again: Set<string>;
	/** The object as the plugin last left it. */
	left: string | undefined;
}

export interface AdmissionPlugin {
	readonly name: string;
	handles(attributes: AdmissionAttributes): boolean;
	/** Throws StatusError (usually Forbidden) to refuse. What is decided at once is not awaited. */
	mutate?(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void>;
	validate?(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void>;
}

/** A request after authentication and routing, independent of HTTP version and of whether it came by socket at all. */
export interface ApiRequest {
	readonly method: string;
	/** Without query. */
	readonly path: string;
	readonly query: URLSearchParams;
	/** Lower-case names. */
	readonly headers: Readonly<Record<string, string | undefined>>;
	/** Present where it came over a connection. */
	readonly repeated?: HeaderLines | undefined;
	readonly user: UserInfo;
	readonly remoteAddress: string;
	/** Reads the whole body; StatusError RequestEntityTooLarge past the limit (3 MiB). */
	body(limitBytes?: number): Promise<Uint8Array>;
	/** Whoever still reads the body is told so. Present where it may come later than the rest. */
	stopReading?(why: AppError): void;
	/** The body as it comes, in place of reading it; undefined where there is none. Present where it came over a connection. */
	stream?(): Readable | undefined;
	readonly signal: AbortSignal;
	/** Calls when the client goes away: less than a signal, for the one that every write gets with its deadline. */
	onGone?(fn: (why: AppError) => void): void;
	/** Present when the client asks to upgrade; taking it makes the handler the owner of the socket. */
	readonly upgrade?: () => { readonly socket: Duplex; readonly head: Uint8Array };
	readonly warn: (text: string) => void;
	/** A watch from this process takes events in place of bytes. */
	readonly takesEvents?: boolean | undefined;
	/** As it stood in the request line, where there was one. */
	readonly uri?: string | undefined;
	/** What audit events call it; told to servers that it is passed on to. */
	readonly auditId?: string | undefined;
	/** Absent where nothing of the request is written down. */
	readonly audit?: AuditTrail | undefined;
	/** Told of the time that calls to others took, be it written down or only counted. */
	took?(layer: LatencyLayer, ms: number): void;
}

/** What a request leaves in the audit log besides its metadata. */
export interface AuditTrail {
	took(layer: LatencyLayer, ms: number): void;
	/** Does the work; the time that it takes is the layer's. */
	timed<T>(layer: LatencyLayer, work: () => T): T;
	/** @param level below which it is left out */
	annotate(key: string, value: string, level?: 'Request'): void;
	/** What was sent, as decoded. */
	object(object: object): void;
	/** A patch, as JSON. */
	patch(patch: unknown): void;
}

export type ApiResponse =
	| { readonly type: 'bytes'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }
	| {
			readonly type: 'stream';
			readonly status: number;
			readonly headers: Readonly<Record<string, string>>;
			/** Values of Set-Cookie: of all headers these alone cannot be joined by commas (RFC 6265, 3). */
			readonly cookies?: readonly string[];
			readonly body: AsyncIterable<Uint8Array>;
			/** In place of the body, for a request that takes them. */
			readonly events?: PushedBody<readonly SentEvent[]>;
	  }
	/** The handler took the socket. */
	| { readonly type: 'upgraded' };

/** What may be known at once: not awaited then. */
export type Maybe<T> = T | Promise<T>;

/** Serves one kind of path; the router finds it. Errors are thrown as StatusError and written by the pipeline. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/** A subresource that is no plain object read or write (log, exec, token, eviction, binding, proxy, review APIs): registered by (group, resource, subresource). */
export interface SubresourceHandler {
	readonly group: string;
	readonly resource: string;
	/** '' for a virtual resource such as tokenreviews or selfsubjectaccessreviews. */
	readonly subresource: string;
	/** Of connections (exec, proxies): what the request asks for. Admission sees it, and `handle` gets it as admission left it. */
	readonly connect?: (request: ApiRequest) => ConnectOptions;
	handle(request: ApiRequest, target: SubresourceTarget): Promise<ApiResponse>;
}

/** PodExecOptions, PodProxyOptions, …: has no metadata. */
export interface ConnectOptions {
	readonly apiVersion: 'v1';
	readonly kind: string;
}

export interface SubresourceTarget {
	readonly namespace: string;
	readonly name: string;
	readonly verb: string;
	/** Of handlers with `connect`. */
	readonly options?: ConnectOptions | undefined;
}

/**
 * Reads of stored objects for authorization, admission and subresources: straight from the store's memory, so never behind a write
 * that was acknowledged. Objects are frozen and carry apiVersion, kind and resourceVersion.
 */
export interface ObjectReader {
	/** Resolves once reads show all that was acknowledged before, by other servers too; absent: they always do. */
	readonly fresh?: (signal: AbortSignal) => Promise<unknown>;
	get<T extends KubeObject>(resource: Resource<T>, key: Key): T | undefined;
	/** Resolves once a webhook has converted what has to be, where the kind is a custom resource. StatusError as a LIST has it. */
	readable?(resource: Resource, signal: AbortSignal, namespace?: string): Promise<void>;
	/** All namespaces when absent. */
	list<T extends KubeObject>(resource: Resource<T>, namespace?: string): readonly T[];
	/** Calls back after every change of the kind, or `only` of one object, until disposed. Changes seen before by `list` may be reported once more. */
	onChange<T extends KubeObject>(
		resource: Resource<T>,
		fn: (change: { readonly key: Key; readonly before: T | undefined; readonly after: T | undefined }) => void,
		only?: Key,
	): Disposable;
}

/** Writes below admission and authorization, for subresources that have done their own checks (binding, eviction, token, approval) and bootstrap. */
export interface ObjectWriter {
	/**
	 * Read-modify-write, tried again on conflict until the signal aborts; StatusError Conflict where it is to be tried `once`.
	 * `transform` gets the stored object (frozen) and returns the new one, or the same one for "no change".
	 * The kind's strategy is skipped; generation and resourceVersion are kept, and managedFields too where `options.tracked` does not name the subresource
	 * ('' for none) through which the server itself changes the object. StatusError NotFound.
	 */
	change<T extends KubeObject>(
		resource: Resource<T>,
		key: Key,
		transform: (current: T) => T | Promise<T>,
		options: { readonly dryRun: boolean; readonly signal: AbortSignal; readonly tracked?: string; readonly once?: boolean },
	): Promise<T>;
	/** As DELETE does after admission: grace, finalizers, preconditions. Answers the deleted or terminating object. */
	delete<T extends KubeObject>(
		resource: Resource<T>,
		key: Key,
		options: object,
		context: { readonly dryRun: boolean; readonly signal: AbortSignal },
	): Promise<T>;
}
