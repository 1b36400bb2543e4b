/** What API benchmarks talk to: the running cluster or the bare server, by h2load or by one's own HTTP/2 streams. */
import { spawn } from 'node:child_process';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Kubectl, type TestCluster } from '../e2e/cluster.ts';
import { must } from '../tools/command.ts';
import { kubectl } from '../tools/kubectl.ts';

export interface Target {
	readonly url: string;
	readonly token: string;
}

/** A ServiceAccount token with every right: the path that in-cluster clients take. */
export async function access(cluster: TestCluster): Promise<Target> {
	const k = new Kubectl(await kubectl(), cluster, 'kube-system');
	await k.must(['create', 'serviceaccount', 'bench']);
	await k.must(['create', 'clusterrolebinding', 'bench', '--clusterrole=cluster-admin', '--serviceaccount=kube-system:bench']);
	const token = (await k.must(['create', 'token', 'bench', '--duration=2h'])).trim();
	const config = parse(await k.must(['config', 'view', '--raw'])) as { clusters: { cluster: { server: string } }[] };
	return { url: config.clusters[0]?.cluster.server ?? '', token };
}

/** The bare http2 stream server in a process of its own. */
export async function floorServer(env: Readonly<Record<string, string>>): Promise<Target & { readonly pid: number; stop(): void }> {
	const file = join(import.meta.dirname, 'floor-server.ts');
	const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
	const url = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())));
	return { url, token: 'x'.repeat(900), pid: child.pid ?? 0, stop: () => child.kill() };
}

/** Requests a second. h2load takes headers only as arguments, so others of this machine can see the token; it is worth nothing once the benchmark's cluster is gone. */
export async function h2load({ url, token }: Target, path: string, args: readonly string[]): Promise<number> {
	const all = [...args, '-t', '1', '-H', `authorization: Bearer ${token}`, url + path];
	const output = await must('h2load', all, { timeoutMs: 300_000, secret: token });
	const failed = /(\d+) failed, (\d+) errored/.exec(output);
	const other = /status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(output);
	if (failed?.[1] !== '0' || [other?.[1], other?.[2], other?.[3]].some((n) => n !== '0'))
		throw new Error(`h2load met failures at ${url}${path}: ${output}`);
	return Number(/finished in [\d.]+\w+, ([\d.]+) req\/s/.exec(output)?.[1]);
}

export function session({ url }: Target): ClientHttp2Session {
	const opened = connect(url, { rejectUnauthorized: false, settings: { initialWindowSize: 1 << 20 } });
	opened.setMaxListeners(0);
	return opened;
}

export function open(on: ClientHttp2Session, { token }: Target, path: string, method = 'GET'): ClientHttp2Stream {
	const body = method === 'GET' ? {} : { 'content-type': 'application/json' };
	return on.request({ ':path': path, ':method': method, authorization: `Bearer ${token}`, ...body }, { endStream: method === 'GET' });
}

/** The whole answer; rejects unless it is 2xx. */
export function call(on: ClientHttp2Session, target: Target, path: string, method = 'GET', body?: string): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const stream = open(on, target, path, method);
		const chunks: Buffer[] = [];
		let status = 0;
		stream.once('response', (headers) => (status = headers[':status'] ?? 0));
		stream.on('data', (chunk: Buffer) => chunks.push(chunk));
		stream.once('error', reject);
		stream.once('end', () => {
			const bytes = Buffer.concat(chunks);
			if (status >= 200 && status < 300) resolve(bytes);
			else reject(new Error(`${method} ${path}: ${status} ${bytes.toString()}`));
		});
		if (method !== 'GET') stream.end(body);
	});
}
