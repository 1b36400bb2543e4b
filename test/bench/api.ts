/**
 * The API server against its floors: GET of a 4 KB object against a bare Node.js http2 server, durable creates of 1 KB objects against raw SQLite
 * rows in batches of 64, LIST, and watch fan-out. h2load drives what it can; rounds are interleaved.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'yaml';
import { Kubectl, testCluster, type TestCluster } from '../e2e/cluster.ts';
import { must } from '../tools/command.ts';
import { kubectl } from '../tools/kubectl.ts';
import { median, printTable, show } from './figures.ts';

interface Target {
	readonly url: string;
	readonly token: string;
}

export async function bench(args: readonly string[]): Promise<void> {
	const rounds = Number(args[0] ?? 3);
	await using cluster = await testCluster('bench');
	await cluster.up();
	const target = await access(cluster);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-'));
	const floor = await floorServer();
	try {
		const k = new Kubectl(await kubectl(), cluster, 'default');
		await k.must(['create', 'configmap', 'four-kb', `--from-literal=data=${'x'.repeat(3600)}`]);
		const object = `${target.url}/api/v1/namespaces/default/configmaps/four-kb`;
		const body = join(dir, 'create.json');
		await writeFile(
			body,
			JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'bench-' }, data: { data: 'x'.repeat(600) } }),
		);
		const create = `${target.url}/api/v1/namespaces/default/configmaps?fieldManager=bench`;
		const figures: Record<string, number[]> = {};
		for (let i = -1; i < rounds; i++) {
			// The first round warms both sides up.
			const add = (name: string, value: number): void => void (i < 0 || (figures[name] ??= []).push(value));
			add('floor get', await h2load(floor.url, target.token, ['-n', '40000', '-c', '8', '-m', '16']));
			add('get', await h2load(object, target.token, ['-n', '40000', '-c', '8', '-m', '16']));
			add('sqlite tree', sqliteRows(dir, `tree-${i}`, 'WITHOUT ROWID'));
			add('sqlite', sqliteRows(dir, `heap-${i}`, ''));
			add(
				'create 1',
				await h2load(create, target.token, ['-n', '500', '-c', '1', '-m', '1', '-d', body, '-H', 'content-type: application/json']),
			);
			add(
				'create 64',
				await h2load(create, target.token, ['-n', '12800', '-c', '64', '-m', '1', '-d', body, '-H', 'content-type: application/json']),
			);
		}
		const list = await listOnce(target);
		const fanOut = await watchFanOut(target, 100, 200);
		const of = (name: string): number => median(figures[name] ?? []);
		printTable(
			['figure', 'kubeling', 'floor', 'ratio', 'goal'],
			[
				['GET 4 KB, 128 in flight, /s', show(of('get')), show(of('floor get')), show(of('get') / of('floor get')), '0.35'],
				['durable create 1 KB, 1 client, /s', show(of('create 1')), '', '', ''],
				[
					'durable create 1 KB, 64 clients, /s',
					show(of('create 64')),
					show(of('sqlite tree')),
					show(of('create 64') / of('sqlite tree')),
					'0.15, 3000/s',
				],
				[
					'the same beside a table as the store has it',
					show(of('create 64')),
					show(of('sqlite')),
					show(of('create 64') / of('sqlite')),
					'',
				],
				[`LIST of ${list.items}, ms`, show(list.ms), '', '', ''],
				['watch fan-out, 100 watchers, µs an event and watcher', show(fanOut), '', '', ''],
			],
		);
	} finally {
		floor.stop();
		await rm(dir, { recursive: true, force: true });
	}
}

/** A ServiceAccount token with every right: the path that in-cluster clients take. */
async function access(cluster: TestCluster): Promise<Target> {
	const k = new Kubectl(await kubectl(), cluster, 'kube-system');
	await k.must(['create', 'serviceaccount', 'bench']);
	await k.must(['create', 'clusterrolebinding', 'bench', '--clusterrole=cluster-admin', '--serviceaccount=kube-system:bench']);
	const token = (await k.must(['create', 'token', 'bench', '--duration=2h'])).trim();
	const config = parse(await k.must(['config', 'view', '--raw'])) as { clusters: { cluster: { server: string } }[] };
	return { url: config.clusters[0]?.cluster.server ?? '', token };
}

/** Requests a second. */
async function h2load(url: string, token: string, args: readonly string[]): Promise<number> {
	const output = await must('h2load', [...args, '-t', '1', '-H', `authorization: Bearer ${token}`, url], { timeoutMs: 300_000 });
	const failed = /(\d+) failed, (\d+) errored/.exec(output);
	const other = /status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(output);
	if (failed?.[1] !== '0' || [other?.[1], other?.[2], other?.[3]].some((n) => n !== '0'))
		throw new Error(`h2load met failures at ${url}: ${output}`);
	return Number(/finished in [\d.]+\w+, ([\d.]+) req\/s/.exec(output)?.[1]);
}

/** Rows a second of raw SQLite with random keys: WAL, synchronous FULL, batches of 64; as one tree by key, or as the store has it. */
function sqliteRows(dir: string, name: string, form: 'WITHOUT ROWID' | ''): number {
	const db = new DatabaseSync(join(dir, `${name}.db`));
	db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(k TEXT PRIMARY KEY, v BLOB) ${form}`);
	const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
	const value = Buffer.alloc(1024, 'x');
	const rows = 12_800;
	const keys = Array.from({ length: rows }, () => `/core/configmaps/default/bench-${randomUUID()}`);
	const from = performance.now();
	for (let i = 0; i < rows; i += 64) {
		db.exec('BEGIN');
		for (const key of keys.slice(i, i + 64)) insert.run(key, value);
		db.exec('COMMIT');
	}
	const rate = rows / ((performance.now() - from) / 1000);
	db.close();
	return rate;
}

/** The bare http2 stream server in a process of its own. */
async function floorServer(): Promise<{ readonly url: string; stop(): void }> {
	const child = spawn(process.execPath, [join(import.meta.dirname, 'floor-server.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
	const url = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())));
	return { url, stop: () => child.kill() };
}

function session(target: Target): ClientHttp2Session {
	return connect(target.url, { rejectUnauthorized: false });
}

async function listOnce(target: Target): Promise<{ readonly ms: number; readonly items: number }> {
	const client = session(target);
	const from = performance.now();
	const text = await new Promise<string>((resolve, reject) => {
		const stream = client.request({ ':path': '/api/v1/namespaces/default/configmaps', authorization: `Bearer ${target.token}` });
		const chunks: Buffer[] = [];
		stream.on('data', (chunk: Buffer) => chunks.push(chunk));
		stream.once('error', reject);
		stream.once('end', () => resolve(Buffer.concat(chunks).toString()));
	});
	const ms = performance.now() - from;
	client.close();
	return { ms, items: (JSON.parse(text) as { items: unknown[] }).items.length };
}

/** Microseconds from the first write to the last delivery, an event and watcher, with watchers on ten shared connections. */
async function watchFanOut(target: Target, watchers: number, events: number): Promise<number> {
	const sessions = Array.from({ length: 10 }, () => session(target));
	const headers = { authorization: `Bearer ${target.token}` };
	let seen = 0;
	const all = Promise.withResolvers<void>();
	const opened: Promise<void>[] = [];
	for (let i = 0; i < watchers; i++) {
		const stream = sessions[i % sessions.length]?.request({
			':path': '/api/v1/namespaces/kube-public/configmaps?watch=1&labelSelector=fan%3Dout',
			...headers,
		});
		if (stream === undefined) continue;
		opened.push(new Promise((resolve) => stream.once('response', () => resolve())));
		stream.on('data', (chunk: Buffer) => {
			for (const byte of chunk) if (byte === 10) seen++;
			if (seen >= watchers * events) all.resolve();
		});
	}
	await Promise.all(opened);
	const writer = session(target);
	const from = performance.now();
	for (let i = 0; i < events; i++) {
		await new Promise<void>((resolve, reject) => {
			const stream = writer.request({
				':path': '/api/v1/namespaces/kube-public/configmaps',
				':method': 'POST',
				'content-type': 'application/json',
				...headers,
			});
			stream.once('error', reject);
			stream.once('close', resolve);
			stream.resume();
			stream.end(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'fan-', labels: { fan: 'out' } } }));
		});
	}
	await all.promise;
	const us = ((performance.now() - from) * 1000) / (events * watchers);
	for (const s of [...sessions, writer]) s.destroy();
	return us;
}
