/**
 * A proxy before the engine's socket that goes wrong as a plan says: errors and resets before or after the engine did its work, answers
 * that never come, streams that are cut, events that come late or in another order.
 */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { rm } from 'node:fs/promises';
import type { FaultPlan } from './fault-plan.ts';

/** A request that says more than once what it is about would be refused; the rest is passed on. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);
const REFUSAL = JSON.stringify({ message: 'the engine says no (a fault of the test)' });

export class FaultProxy implements AsyncDisposable {
	readonly #engine: string;
	readonly #path: string;
	readonly #plan: FaultPlan;
	readonly #server: Server;
	readonly #open = new Set<Duplex>();

	constructor(path: string, engine: string, plan: FaultPlan) {
		this.#path = path;
		this.#engine = engine;
		this.#plan = plan;
		this.#server = createServer((request, response) => void this.#answer(request, response).catch(() => response.destroy()));
		this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
		this.#server.on('connection', (socket) => {
			this.#open.add(socket);
			socket.on('error', () => {});
			socket.once('close', () => this.#open.delete(socket));
		});
	}

	/** Connections that the shim holds open. */
	get connections(): number {
		return this.#open.size;
	}

	async start(): Promise<void> {
		await rm(this.#path, { force: true });
		this.#server.listen(this.#path);
		await once(this.#server, 'listening');
	}

	/** Breaks every open connection: the engine is gone for a moment. */
	cutAll(): void {
		for (const socket of this.#open) socket.destroy();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const closed = once(this.#server, 'close');
		this.#server.close();
		this.cutAll();
		await closed;
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
		const fault = this.#plan.forRequest();
		switch (fault) {
			case 'refused':
				refuse(response);
				return;
			case 'reset':
				request.socket.destroy();
				return;
			case 'hang':
				return;
			case 'slow':
				await new Promise((resolve) => setTimeout(resolve, this.#plan.delayMs()));
				break;
			case 'refused after':
			case 'reset after':
			case 'hang after':
			case undefined:
				break;
		}
		const answer = await this.#forward(request, Buffer.concat(chunks), response);
		if (fault === 'refused after' || fault === 'reset after' || fault === 'hang after') {
			answer.resume();
			if (!request.url?.includes('/events') && !request.url?.includes('follow=true')) await once(answer, 'end');
			if (fault === 'refused after') refuse(response);
			if (fault === 'reset after') request.socket.destroy();
			return;
		}
		response.writeHead(answer.statusCode ?? 500, withoutHops(answer));
		response.flushHeaders();
		if (request.url?.includes('/events')) await this.#passEvents(answer, response);
		else await this.#pass(answer, response);
	}

	#forward(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<IncomingMessage> {
		return new Promise((resolve, reject) => {
			const headers = { ...withoutHops(request), ...(body.length > 0 ? { 'content-length': String(body.length) } : {}) };
			const forwarded = httpRequest(
				{ socketPath: this.#engine, path: request.url, method: request.method, headers, agent: false },
				resolve,
			);
			response.once('close', () => forwarded.destroy());
			forwarded.once('error', reject);
			forwarded.end(body);
		});
	}

	async #pass(answer: IncomingMessage, response: ServerResponse): Promise<void> {
		let left = this.#plan.forStream() ?? Number.POSITIVE_INFINITY;
		for await (const chunk of answer as AsyncIterable<Buffer>) {
			if (chunk.length >= left) {
				response.write(chunk.subarray(0, left));
				setImmediate(() => response.destroy());
				return;
			}
			left -= chunk.length;
			if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
		}
		response.end();
	}

	/** The engine writes an event a line. */
	async #passEvents(answer: IncomingMessage, response: ServerResponse): Promise<void> {
		let rest = '';
		let held: string | undefined;
		for await (const chunk of answer as AsyncIterable<Buffer>) {
			const lines = (rest + chunk.toString()).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) {
				const fault = this.#plan.forEvent();
				if (fault === 'cut') return void response.destroy();
				if (fault === 'swapped' && held === undefined) {
					held = line;
					setTimeout(() => {
						if (held === line) response.write(`${line}\n`);
						if (held === line) held = undefined;
					}, this.#plan.delayMs());
					continue;
				}
				if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, this.#plan.delayMs()));
				response.write(`${line}\n`);
				if (held !== undefined) response.write(`${held}\n`);
				held = undefined;
			}
		}
		response.end();
	}

	/** Attach and exec: a raw connection both ways, which may be cut after some bytes. */
	#upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
		const fault = this.#plan.forRequest();
		if (fault === 'reset') return void socket.destroy();
		if (fault === 'hang') return;
		if (fault === 'refused')
			return void socket.end(`HTTP/1.1 500 Internal Server Error\r\nContent-Length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`);
		const chunks: Buffer[] = [head];
		const want = Number(request.headers['content-length'] ?? 0);
		const begin = (): void => this.#join(request, Buffer.concat(chunks), socket, fault !== undefined && fault !== 'slow');
		const collect = (chunk: Buffer): void => {
			chunks.push(chunk);
			if (Buffer.concat(chunks).length < want) return;
			socket.off('data', collect);
			socket.pause();
			begin();
		};
		if (head.length >= want) begin();
		else socket.on('data', collect);
	}

	#join(request: IncomingMessage, body: Buffer, socket: Duplex, cut: boolean): void {
		const forwarded = httpRequest({
			socketPath: this.#engine,
			path: request.url,
			method: request.method,
			headers: { ...request.headers },
			agent: false,
		});
		socket.once('close', () => forwarded.destroy());
		forwarded.once('error', () => socket.destroy());
		forwarded.once('response', (answer) => {
			socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nConnection: close\r\n\r\n`);
			answer.pipe(socket);
		});
		forwarded.once('upgrade', (_answer, engine: Duplex, first: Buffer) => {
			engine.on('error', () => socket.destroy());
			socket.once('close', () => engine.destroy());
			if (cut) return void setTimeout(() => socket.destroy(), this.#plan.delayMs());
			socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
			socket.write(first);
			let left = this.#plan.forStream() ?? Number.POSITIVE_INFINITY;
			engine.on('data', (chunk: Buffer) => {
				left -= chunk.length;
				if (left <= 0) socket.destroy();
				else if (!socket.write(chunk)) {
					engine.pause();
					socket.once('drain', () => engine.resume());
				}
			});
			engine.on('end', () => socket.end());
			socket.pipe(engine);
		});
		forwarded.end(body);
	}
}

function refuse(response: ServerResponse): void {
	response.writeHead(500, { 'content-type': 'application/json' }).end(REFUSAL);
}

function withoutHops(message: IncomingMessage): Record<string, string | string[]> {
	return Object.fromEntries(
		Object.entries(message.headers).filter((e): e is [string, string | string[]] => e[1] !== undefined && !HOP_HEADERS.has(e[0])),
	);
}
