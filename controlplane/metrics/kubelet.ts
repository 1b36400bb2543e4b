/** Asks a kubelet for its /metrics/resource. */
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { Node } from '../../api/gen/types.ts';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { KeptConnections, responseTo } from '../../wire/http/kept-connection.ts';
import { kubeletAddress } from '../kubelet-address.ts';
import { pointsIn, type Points } from './points.ts';

/** Read anew for each look: whoever renews certificates need tell nobody. */
export type KubeletTls = () => Promise<{
	readonly cert: string;
	readonly key: string;
	/** Undefined: kubelets' certificates are not verified. */
	readonly ca: string | undefined;
}>;

/** Upstream's: a kubelet that needs longer is not waited for. */
const TIMEOUT_MS = 10_000;
/** What a few thousand pods need is a tenth of it. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export class Kubelets implements Disposable {
	readonly #tls: KubeletTls;
	readonly #clock: Clock;
	readonly #kept = new KeptConnections(new Agent({ keepAlive: true, maxFreeSockets: 1 }));

	constructor(tls: KubeletTls, clock: Clock) {
		this.#tls = tls;
		this.#clock = clock;
	}

	async look(node: Node, signal: AbortSignal): Promise<Points> {
		const { ca, ...keys } = await this.#tls();
		using deadline = withDeadline(this.#clock, TIMEOUT_MS, 'reading /metrics/resource', signal);
		const body = await this.#get({
			...kubeletAddress(node),
			path: '/metrics/resource',
			agent: this.#kept.agent,
			signal: deadline.signal,
			...keys,
			...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
		});
		return pointsIn(body, this.#clock.now());
	}

	[Symbol.dispose](): void {
		this.#kept[Symbol.dispose]();
	}

	async #get(options: RequestOptions): Promise<string> {
		const answer = await this.#kept.send(() => request(options).end(), responseTo);
		const body = await textOf(answer);
		if (answer.statusCode === 200) return body;
		throw new AppError('Unavailable', `the kubelet answers ${answer.statusCode}: ${body.slice(0, 200)}`);
	}
}

/** An answer that goes on for longer is left. */
async function textOf(answer: IncomingMessage): Promise<string> {
	const pieces: Buffer[] = [];
	let bytes = 0;
	for await (const piece of answer as AsyncIterable<Buffer>) {
		bytes += piece.length;
		if (bytes > MAX_ANSWER_BYTES) throw new AppError('ResourceExhausted', `the kubelet answers more than ${MAX_ANSWER_BYTES} bytes`);
		pieces.push(piece);
	}
	return Buffer.concat(pieces).toString();
}
