/** Watches under measurement: what many watchers cost beside the bare server, and what an idle one holds. */
import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, open, session, type Target } from './api-target.ts';
import { pssBytes } from './figures.ts';
import type { LookedAt } from './looked-at.ts';

export const COLLECTION = '/api/v1/namespaces/kube-public/configmaps';
export const WATCH = `${COLLECTION}?watch=1&resourceVersion=0&labelSelector=`;

export const configMap = (label: string): string =>
	JSON.stringify({
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { generateName: 'fan-', labels: { fan: label } },
		data: { data: 'x'.repeat(200) },
	});

/** So long the server may take to notice. */
const FAREWELL_MS = 500;

/**
 * Who writes before the watchers is exempt from fairness: a write that 1,000 watch takes ten seats for 50 ms (as with upstream), so that a
 * ServiceAccount of kube-system would wait for a seat with every write after the two hundredth of a second, and that would be measured.
 */
export const EXEMPT_WRITES = {
	apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
	kind: 'FlowSchema',
	metadata: { name: 'bench-fan-out' },
	spec: {
		matchingPrecedence: 2,
		priorityLevelConfiguration: { name: 'exempt' },
		rules: [
			{
				subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: 'bench' } }],
				resourceRules: [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'], namespaces: ['kube-public'] }],
			},
		],
	},
};

let runs = 0;

export interface FanOut {
	/** From the first write to the last delivery. */
	readonly usPerEventAndWatcher: number;
	readonly bytesPerEvent: number;
}

/** Watchers on shared connections, and events written one after the other. */
export async function fanOut(
	target: Target,
	server: LookedAt,
	watchers: number,
	connections: number,
	events: number,
	floorBytes?: number,
): Promise<FanOut> {
	const label = `out-${++runs}`;
	const sessions = Array.from({ length: connections }, () => session(target));
	const [path, post] = floorBytes === undefined ? [`${WATCH}fan%3D${label}`, COLLECTION] : ['/watch', `/event?bytes=${floorBytes}`];
	let seen = 0;
	let bytes = 0;
	const all = Promise.withResolvers<void>();
	const opened = (i: number): Promise<unknown> => {
		const stream = open(sessions[i % connections] as ClientHttp2Session, target, path);
		stream.on('data', (chunk: Buffer) => {
			bytes += chunk.length;
			for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen++;
			if (seen >= watchers * events) all.resolve();
		});
		return new Promise((resolve) => stream.once('response', resolve));
	};
	await server.rush(() => Promise.all(Array.from({ length: watchers }, (_, i) => opened(i))));
	const writer = session(target);
	const from = performance.now();
	for (let i = 0; i < events; i++) await call(writer, target, post, 'POST', configMap(label));
	await all.promise;
	const us = ((performance.now() - from) * 1000) / (events * watchers);
	await gone(server, [...sessions, writer]);
	return { usPerEventAndWatcher: us, bytesPerEvent: Math.round(bytes / seen) };
}

/** All clients leave at once. */
function gone(server: LookedAt, sessions: readonly ClientHttp2Session[]): Promise<void> {
	return server.rush(async () => {
		await Promise.all(sessions.map((one) => new Promise<void>((resolve) => one.once('close', resolve).destroy())));
		await sleep(FAREWELL_MS);
	});
}

/** What a watcher that gets nothing adds to the process, bytes: in use, and by PSS, which has pages of the system's and holes in it. */
export interface IdleWatcher {
	readonly used: number;
	readonly pss: number;
}

/** Both are taken once all garbage is gone: what is free inside the process would hide what is new. */
export async function idleWatcher(target: Target, server: LookedAt, watchers: number, connections: number): Promise<IdleWatcher> {
	const sessions = Array.from({ length: connections }, () => session(target));
	await Promise.all(sessions.map((s) => call(s, target, '/readyz')));
	const taken = async (): Promise<IdleWatcher> => {
		await sleep(2000);
		return { used: await server.memory(), pss: await pssBytes(server.pid) };
	};
	const before = await taken();
	for (let i = 0; i < watchers; i += connections)
		await Promise.all(
			sessions.map(
				(s) =>
					new Promise((resolve) =>
						open(s, target, `${WATCH}fan%3Dnever`)
							.once('response', resolve)
							.on('data', () => {}),
					),
			),
		);
	const after = await taken();
	await gone(server, sessions);
	return { used: (after.used - before.used) / watchers, pss: (after.pss - before.pss) / watchers };
}
