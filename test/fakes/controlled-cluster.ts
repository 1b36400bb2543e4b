/** A real API server on a memory store with the controllers, on virtual time, each controller as the service account that it is in a cluster. */
import type { Event, Pod } from '../../api/gen/types.ts';
import type { Key } from '../../api/resource.ts';
import { EVENTS, PODS } from '../../api/resources.ts';
import { createLog, noLog } from '../../base/log.ts';
import { runServices } from '../../base/service.ts';
import { idle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { Informers } from '../../client/informers.ts';
import { createClient } from '../../client/rest.ts';
import type { StandardOptions } from '../../controlplane/apiserver/standard-options.ts';
import { createControllers, type ControllersDeps } from '../../controlplane/controllers/controllers.ts';
import { eventually } from '../tools/eventually.ts';
import { testApiServer } from './api-server.ts';

export interface ControlledCluster {
	readonly clock: VirtualClock;
	/** As an administrator. */
	readonly client: Client;
	readonly ca: string;
	/** What controllers were refused for want of rights. */
	readonly refusals: readonly string[];
	/** A client that is somebody. */
	as(user: string, ...groups: readonly string[]): Client;
	/** Lets `ms` pass, by default enough for what was just written to be acted upon. */
	pass(ms?: number): Promise<void>;
	/** Lets time pass, slowly, until `check` holds: for what waits for work outside the event loop, such as signatures. */
	until(check: () => Promise<boolean>): Promise<void>;
	/** "Reason: message" of the events about objects of this name, oldest first. */
	events(name: string): Promise<readonly string[]>;
	/** Writes a pod's status, as its kubelet does. */
	report(key: Key, status: Pod['status']): Promise<Pod>;
}

interface Options {
	/** Names of the controllers to run; all unless told. */
	readonly only?: readonly string[];
	readonly more?: Partial<ControllersDeps>;
	/** What else the API server is told. */
	readonly standard?: Partial<StandardOptions>;
	/** What controllers write with, in the place of their own clients: for failures made to order. */
	readonly through?: (client: Client) => Client;
}

/** Time for watches, queues and writes that follow each other at once. */
const SOON_MS = 500;
/** Between them what follows without a timer gets its turns. */
const SLICES = 5;
/** Requests pass through more turns of the event loop than a bare callback. */
const TURNS = 40;

export async function controlledCluster(body: (cluster: ControlledCluster) => Promise<void>, options: Options = {}): Promise<void> {
	const clock = new VirtualClock(Date.UTC(2026, 0, 1), 1, () => idle(TURNS));
	const refusals: string[] = [];
	const log = createLog({
		level: 'warn',
		write: (line) => {
			if (line.includes(' cannot ')) refusals.push(line);
		},
	});
	const stop = new AbortController();
	const { server, client, ca, stopped } = await testApiServer({ clock, log: noLog, standard: options.standard ?? {} }, stop.signal);
	const as = (name: string, ...groups: readonly string[]): Client =>
		createClient(server.transport({ name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} }));
	const manager = as('system:kube-controller-manager');
	const informers = new Informers({ client: manager, clock, log });
	const through = options.through ?? ((client: Client): Client => client);
	const clientOf = (account: string): Client =>
		through(as(`system:serviceaccount:kube-system:${account}`, 'system:serviceaccounts', 'system:serviceaccounts:kube-system'));
	const all = createControllers({ client: manager, clientOf, informers, clock, log, rootCa: ca, ...options.more });
	const wanted = all.filter((s) => options.only === undefined || options.only.includes(s.name) || s.name.startsWith('events/'));
	const ready = Promise.withResolvers<void>();
	const running = runServices([informers, ...wanted], stop.signal, ready.resolve);
	running.catch(ready.reject);
	const pass = async (ms = SOON_MS): Promise<void> => {
		for (let i = 0; i < SLICES; i++) await clock.advance(ms / SLICES);
	};
	try {
		await Promise.race([ready.promise, pass(5000).then(() => ready.promise)]);
		await body({
			...{ clock, client, ca, refusals, as, pass },
			async until(check) {
				await eventually('what is waited for', async () => {
					await pass(1);
					return check();
				});
			},
			async events(name) {
				const { items } = await client.list(EVENTS);
				return items
					.filter((e) => e.involvedObject?.name === name)
					.toSorted((a, b) => number(a) - number(b))
					.map((e) => `${e.reason}: ${e.message}`);
			},
			report: async (key, status) => client.update(PODS, { ...(await client.get(PODS, key)), status }, { subresource: 'status' }),
		});
	} finally {
		stop.abort();
		await running;
		await stopped;
	}
}

function number(event: Event): number {
	return Number(event.metadata.resourceVersion);
}
