/** The shape of generated gRPC services (ts-proto, grpc-js flavour), and what typed servers and clients derive from it. */

/** One RPC of a generated service definition. Codecs are typed by bivariant methods so that definitions of any messages fit. */
export interface Method {
	readonly path: string;
	readonly requestStream: boolean;
	readonly responseStream: boolean;
	requestSerialize(value: never): Buffer;
	requestDeserialize(value: Buffer): unknown;
	responseSerialize(value: never): Buffer;
	responseDeserialize(value: Buffer): unknown;
}

export type ServiceDefinition = Readonly<Record<string, Method>>;

type Request<M extends Method> = ReturnType<M['requestDeserialize']>;
type Response<M extends Method> = ReturnType<M['responseDeserialize']>;

/** What a handler is told besides its request. */
export interface CallContext {
	/** Aborts when the client cancels, its deadline passes, or the server stops. */
	readonly signal: AbortSignal;
}

/** A call as both ends may count it. */
export interface FinishedCall {
	/** "/csi.v1.Controller/CreateVolume" */
	readonly method: string;
	/** "OK", or the name of its error. */
	readonly code: string;
	readonly ms: number;
}

/** Who follows one call of a client from its start. */
export interface CallObserver {
	/** Names and values in turn, which go with the request. */
	readonly headers: readonly string[];
	/** @param bytes of the message alone */
	message(way: 'SENT' | 'RECEIVED', bytes: number): void;
	/** Once. Undefined: it went well. */
	ended(failure: unknown): void;
}

/** Handlers by RPC: unary ones resolve with the response, server-streaming ones yield responses, client streams come as iterables. */
export type Handlers<S extends ServiceDefinition> = {
	readonly [K in keyof S]: (
		request: S[K]['requestStream'] extends true ? AsyncIterable<Request<S[K]>> : Request<S[K]>,
		context: CallContext,
	) => S[K]['responseStream'] extends true ? AsyncIterable<Response<S[K]>> : Promise<Response<S[K]>>;
};

export interface CallOptions {
	readonly signal?: AbortSignal;
	/** No deadline unless told. */
	readonly timeoutMs?: number;
	/** Of many answers: told once there is a connection and the request is on its way. */
	readonly opened?: () => void;
}

/** Calls by RPC. Rejections are AppError with the code the server gave. */
export type Calls<S extends ServiceDefinition> = {
	readonly [K in keyof S]: (
		request: S[K]['requestStream'] extends true ? AsyncIterable<Request<S[K]>> : Request<S[K]>,
		options?: CallOptions,
	) => S[K]['responseStream'] extends true ? AsyncIterable<Response<S[K]>> : Promise<Response<S[K]>>;
};
