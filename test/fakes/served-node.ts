/** The kubelet API over real TLS, of a simulated node with one pod "p" that runs; who may do what, the test says. */
import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request, type Agent } from 'node:https';
import type { ExecutionContext } from 'ava';
import type { KubeletConfiguration } from '../../agent/config/load.ts';
import { settingsOf } from '../../agent/config/settings.ts';
import { CpuRates } from '../../agent/server/cpu-rates.ts';
import { startServer, type KubeletServer } from '../../agent/server/server.ts';
import type { Tracer } from '../../agent/tracing/tracer.ts';
import { realClock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { c, playing } from './playing.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** The CA that is trusted, and one that is not. */
export const [authority, other] = await Promise.all([
	createAuthority({ commonName: 'ca', days: 10 }, realClock),
	createAuthority({ commonName: 'other', days: 10 }, realClock),
]);
const leaf = (ca: typeof authority, commonName: string) =>
	issue(ca, { commonName, ipAddresses: ['127.0.0.1'], usages: ['server', 'client'], days: 5 }, realClock);
const [serving, admin] = await Promise.all([leaf(authority, 'node'), leaf(authority, 'admin')]);
/** Of a CA that is not trusted. */
export const stranger = await leaf(other, 'stranger');

export interface Answer {
	readonly status: number;
	readonly body: string;
	readonly headers: Readonly<Record<string, unknown>>;
}

export interface Ask {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** "admin" unless told; nobody: no certificate is shown. */
	readonly identity?: { readonly certPem: string; readonly keyPem: string } | 'nobody';
	readonly agent?: Agent;
	readonly body?: string;
}

export function ask(
	port: number,
	path: string,
	{ method = 'GET', headers = {}, identity = admin, agent, body }: Ask = {},
): Promise<Answer> {
	const client = identity === 'nobody' ? {} : { cert: identity.certPem, key: identity.keyPem };
	return answered(
		(done) => request({ host: '127.0.0.1', port, path, method, headers, ca: authority.certPem, agent: agent ?? false, ...client }, done),
		body,
	);
}

export function askPlain(port: number, path: string): Promise<Answer> {
	return answered((done) => plainRequest({ host: '127.0.0.1', port, path, agent: false }, done));
}

function answered(begin: (done: (response: IncomingMessage) => void) => ClientRequest, body?: string): Promise<Answer> {
	return new Promise((resolve, reject) => {
		begin((response) => {
			let said = '';
			response.setEncoding('utf8').on('data', (text: string) => (said += text));
			response.on('end', () => resolve({ status: response.statusCode ?? 0, body: said, headers: response.headers }));
		})
			.once('error', reject)
			.end(body);
	});
}

export interface Served {
	readonly node: SimulatedNode;
	readonly server: KubeletServer;
	/** "verb subresource", what the API server was asked. */
	readonly asked: string[];
	/** From now on client certificates of these CAs count. */
	trust(pem: string): void;
}

interface Options {
	/** Why the agent no longer looks after its pods. */
	readonly fault?: () => string;
	/** Whether callers may; all may all unless told. */
	readonly may?: (right: string) => boolean;
	readonly tracer?: Tracer;
}

export async function serve(
	t: ExecutionContext,
	configuration: KubeletConfiguration = {},
	{ fault = () => '', may = () => true, tracer }: Options = {},
): Promise<Served> {
	const { node } = await playing({ exec: (_container, command) => (command === 'fail' ? { exitCode: 3 } : { output: `ran ${command}` }) });
	await node.create('p', { containers: [c()] });
	const asked: string[] = [];
	let trusted = authority.certPem;
	const create = async (_resource: unknown, { spec }: { spec: { resourceAttributes?: { verb: string; subresource: string } } }) => {
		const { verb = '', subresource = '' } = spec.resourceAttributes ?? {};
		asked.push(`${verb} ${subresource}`);
		return { status: { allowed: may(`${verb} ${subresource}`) } };
	};
	const client = { ...node.context.client, create } as unknown as Client;
	const kubelet = settingsOf(configuration);
	const options = { ...node.context.options, bindAddress: '127.0.0.1', serving: () => serving, clientCas: () => trusted, kubelet };
	const server = await startServer({
		context: { ...node.context, clock: realClock, client, options, ...(tracer === undefined ? {} : { tracer }) },
		pods: () => [node.pod('p')].filter((p) => p !== undefined),
		count: () => {},
		rates: new CpuRates(),
		fault,
	});
	t.teardown(async () => {
		await server.close();
		await node[Symbol.asyncDispose]();
	});
	return { node, server, asked, trust: (pem) => (trusted = pem) };
}
