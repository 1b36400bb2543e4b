/**
 * Storage as a part: the local driver beside its sidecar roles. The objects that a claim needs are made once the node is ready; the driver and the
 * roles start when somebody wants a volume, and stay.
 */
import { aborted } from '../../base/abort.ts';
import type { Service } from '../../base/service.ts';
import { runServices } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import type { WhenUsable } from '../usable.ts';
import { VERSION } from '../version.ts';
import type { PartDeps } from './apiserver.ts';
import type { StorageConfig } from './config.ts';
import type { ControllerClients } from './controller-manager.ts';
import { keepTrying } from './keep-trying.ts';
import { KUBE_SYSTEM } from './kube-system.ts';

/** Of one call of the roles: formatting a large volume takes a while. */
const TIMEOUT_MS = 60_000;
/** Nobody else waits behind a retry here: sooner than upstream's sidecars. */
const RETRY = { initialMs: 200, maxMs: 60_000 } as const;
const WORKERS = 8;

/** @param clients the part's own, which makes objects and knows what is wanted, and those of the roles' service accounts */
export function storageService(
	config: StorageConfig,
	clients: ControllerClients,
	deps: PartDeps,
	after: readonly string[],
	whenUsable: WhenUsable,
): Service {
	const client = clients.manager;
	const log = deps.log.with({ part: 'storage' });
	const own = { ...deps, log };
	return {
		name: 'storage',
		after,
		async run(signal, ready) {
			ready(); // nobody waits for volumes at the start
			if (process.getuid?.() !== 0) {
				log.warn('no local storage: mounting needs root');
				return aborted(signal);
			}
			try {
				const settingUp = keepTrying(
					own,
					'storage is not set up; trying again',
					() => setUp(config, client, deps, whenUsable, signal),
					signal,
				);
				settingUp.catch(() => {}); // only an abort ends it without success
				// Volumes of before need not wait for the node, which may wait for them.
				const wanted = await wantedBy(config, client, settingUp, deps, signal);
				log.info('starting the local driver and its roles', { for: wanted });
				await keepTrying(own, 'storage failed; starting it again', () => serve(config, clients, own, signal), signal);
			} catch (error) {
				if (!signal.aborted) throw error;
			}
		},
	};
}

async function setUp(
	{ driver }: StorageConfig,
	client: Client,
	{ clock }: PartDeps,
	whenUsable: WhenUsable,
	signal: AbortSignal,
): Promise<void> {
	await whenUsable(signal);
	const { installStorage } = await import('./storage-objects.ts');
	await installStorage(client, driver.driverName, clock, signal);
}

async function wantedBy(
	{ driver }: StorageConfig,
	client: Client,
	served: Promise<void>,
	{ clock, log }: PartDeps,
	signal: AbortSignal,
): Promise<string> {
	const { storageWanted } = await import('./storage-wanted.ts');
	return storageWanted(driver, served, { client, clock, log }, signal);
}

async function serve({ driver }: StorageConfig, { manager, of }: ControllerClients, deps: PartDeps, signal: AbortSignal): Promise<void> {
	const [{ createCsiDriver }, { createRoles }, { accountOf, installRights, READER_ACCOUNT, STORAGE_ROLES }, { unenforcedSizes }] =
		await Promise.all([
			import('../../csi/driver.ts'),
			import('../../csi/roles/run.ts'),
			import('./storage-rights.ts'),
			import('./unenforced-sizes.ts'),
		]);
	await installRights(manager, signal);
	const { clock, log } = deps;
	const informers = new Informers({ client: manager, clock, log, name: 'storage-informers' });
	const recorder = createRecorder({ client: manager, clock, log, component: driver.driverName, name: 'storage-events' });
	const told = [informers, recorder, unenforcedSizes(driver.driverName, { informers, recorder, clock, log })];
	const roles = createRoles(
		{
			roles: STORAGE_ROLES,
			address: driver.socketPath,
			...{ timeoutMs: TIMEOUT_MS, workers: WORKERS, backoff: RETRY, identity: driver.nodeId },
			provisioner: { capacityNamespace: KUBE_SYSTEM },
		},
		{ client: of(READER_ACCOUNT), clientOf: (role) => of(accountOf(role)), clock, log },
		['csi'],
	);
	await runServices([createCsiDriver({ ...driver, version: VERSION, role: 'all' }, deps), roles, ...told], signal);
}
