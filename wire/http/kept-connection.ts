/** Requests on connections that are kept open: the peer may close one just as the next request goes out. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

export class KeptConnections<A extends Agent> implements Disposable {
	readonly agent: A;
	#closed = false;

	constructor(agent: A) {
		this.agent = agent;
	}

	/**
	 * Sends what `start` makes, and again where it met the closing of a connection by the peer.
	 * @param answered rejects with the request's error when that comes before an answer
	 */
	async send<T>(start: () => ClientRequest, answered: (sent: ClientRequest) => Promise<T>): Promise<T> {
		for (;;) {
			const sent = start();
			try {
				return await answered(sent);
			} catch (error) {
				if (this.#closed || !metClosing(sent, error)) throw error;
			}
		}
	}

	/** Ends all connections, with what is under way on them. */
	[Symbol.dispose](): void {
		this.#closed = true;
		this.agent.destroy();
	}
}

export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		sent.once('response', resolve);
		sent.on('error', reject);
	});
}

/**
 * Whether the request failed before any answer because its peer had closed a kept connection, and does no harm when it is sent again.
 * The rule is that of Go's net/http. As a new connection is never a kept one, repeating ends.
 */
function metClosing(sent: ClientRequest, error: unknown): boolean {
	const { code = '' } = error as NodeJS.ErrnoException;
	return sent.reusedSocket && CLOSED.has(code) && REPEATABLE.has(sent.method);
}
