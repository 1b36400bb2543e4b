/** An agent's part that gives devices, over real sockets, for tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { serveRegistration } from '../../agent/device/registration.ts';
import { Devices } from '../../agent/device/devices.ts';
import { PlacementFigures } from '../../agent/topology/figures.ts';
import type { TopologyPolicy } from '../../agent/topology/merge.ts';
import { Placement } from '../../agent/topology/placement.ts';
import type { Container, Pod } from '../../api/gen/types.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { eventually } from '../tools/eventually.ts';

export const GPU = 'example.com/gpu';

const NODES = [0, 1].map((id) => ({ id, memoryBytes: 0, hugePages: {}, distances: [] }));

export interface DeviceAgent {
	readonly devices: Devices;
	readonly placement: Placement;
	/** Pods that were told of. */
	readonly woken: Set<string>;
	stop(): Promise<void>;
}

export async function agentIn(folder: string, policy: TopologyPolicy = 'none', clock = realClock): Promise<DeviceAgent> {
	const stop = new AbortController();
	const figures = new PlacementFigures(new Registry());
	const woken = new Set<string>();
	const given = {
		folder,
		masks: [1, 2, 3],
		clock,
		log: noLog,
		figures,
		signal: stop.signal,
		changed: () => {},
		wake: (uid: string) => void woken.add(uid),
	};
	const devices = await Devices.open(given);
	const server = await serveRegistration(folder, devices, realClock, noLog, stop.signal);
	return {
		...{ devices, woken },
		placement: new Placement({
			policy,
			scope: 'container',
			preferClosest: false,
			nodes: NODES,
			givers: [devices],
			figures,
			clock,
			log: noLog,
		}),
		async stop() {
			stop.abort();
			await server.stop();
			await devices.saved();
		},
	};
}

export function asking(uid: string, count: number, initCount = 0): Pod & { readonly spec: { readonly containers: readonly [Container] } } {
	const container = (name: string, amount: number): Container => ({ name, resources: { limits: { [GPU]: String(amount) } } });
	return {
		metadata: { uid, name: uid, namespace: 'n' },
		spec: { containers: [container('c', count)], ...(initCount === 0 ? {} : { initContainers: [container('i', initCount)] }) },
	} as Pod & { readonly spec: { readonly containers: readonly [Container] } };
}

export async function folderOf(t: ExecutionContext): Promise<string> {
	t.timeout(120_000);
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-dp-'));
	t.teardown(() => rm(folder, { recursive: true, force: true }));
	return folder;
}

export const healthy = ({ devices }: DeviceAgent, count: number): Promise<unknown> =>
	eventually(`${count} healthy devices`, async () => devices.counts().allocatable[GPU] === String(count));
