/** One aggregated API server as an APIService names it: how it is dialled and trusted, and small requests of our own to it. */
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { APIService } from '../../../api/gen/types.ts';
import { withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { hostPort } from '../../../base/host-port.ts';
import { KeptConnections, responseTo } from '../../../wire/http/kept-connection.ts';
import type { ObjectReader, UserInfo } from '../contracts.ts';
import type { BackendTls } from '../subresources/proxy/backend.ts';
import { serviceAddress } from '../webhook/destination.ts';
import type { Address } from '../webhook/endpoints.ts';
import { goError } from '../webhook/go-errors.ts';
import { remoteHeaders } from './remote-headers.ts';

/** Who asks when no user does. */
const AGGREGATOR: UserInfo = { name: 'system:kube-aggregator', uid: '', groups: ['system:masters'], extra: {} };
/** A document larger than this is none. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Deps {
	readonly objects: ObjectReader;
	readonly clock: Clock;
	/** The certificate that aggregated servers know us by. */
	readonly proxyClient: () => BackendTls;
}

export interface RemoteAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
	readonly body: Buffer;
}

export class RemoteServer implements Disposable {
	readonly #deps: Deps;
	readonly #kept = new KeptConnections(new Agent({ keepAlive: true, maxFreeSockets: 2 }));

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Any endpoint of its service. AppError Unavailable. */
	address({ spec }: APIService): Address {
		const { namespace = '', name = '', port = 443 } = spec?.service ?? {};
		return serviceAddress(this.#deps.objects, this.#deps.clock, namespace, name, port);
	}

	tls({ spec }: APIService): BackendTls {
		const { namespace = '', name = '' } = spec?.service ?? {};
		const { cert, key } = this.#deps.proxyClient();
		return {
			...(cert === undefined || key === undefined ? {} : { cert, key }),
			serverName: `${name}.${namespace}.svc`,
			...(spec?.insecureSkipTLSVerify === true
				? { verify: false }
				: { verify: true, ...((spec?.caBundle ?? '') === '' ? {} : { ca: Buffer.from(spec?.caBundle ?? '', 'base64').toString() }) }),
		};
	}

	/** GET as the aggregator itself. Rejects with an Error in Go's words. */
	async get(service: APIService, path: string, accept: string, timeoutMs: number, signal: AbortSignal, etag = ''): Promise<RemoteAnswer> {
		using deadline = withDeadline(this.#deps.clock, timeoutMs, 'the request', signal);
		let address: Address = { host: '', port: 443 };
		const { serverName = '', verify, ...keys } = this.tls(service);
		try {
			address = this.address(service);
			return await this.#send({
				host: address.host,
				port: address.port,
				path,
				agent: this.#kept.agent,
				signal: deadline.signal,
				servername: serverName,
				rejectUnauthorized: verify !== false,
				...keys,
				headers: {
					accept,
					'user-agent': 'kube-apiserver',
					...remoteHeaders(AGGREGATOR),
					...(etag === '' ? {} : { 'if-none-match': etag }),
				},
			});
		} catch (cause) {
			signal.throwIfAborted();
			const { host, port } = address;
			const why = deadline.signal.aborted
				? `${goError(deadline.signal.reason, address, serverName)} (Client.Timeout exceeded while awaiting headers)`
				: goError(cause, address, serverName);
			throw new Error(`Get "https://${hostPort(host, port)}${path}": ${why}`, { cause });
		}
	}

	[Symbol.dispose](): void {
		this.#kept[Symbol.dispose]();
	}

	async #send(options: RequestOptions): Promise<RemoteAnswer> {
		const message = await this.#kept.send(() => httpsRequest(options).end(), responseTo);
		let size = 0;
		message.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size > MAX_BYTES) message.destroy(new Error('http: response body too large'));
		});
		const body = await buffer(message);
		return { status: message.statusCode ?? 0, headers: message.headers, body };
	}
}
