/** The external-health-monitor: volumes that their driver calls abnormal are told of on their claims, and when they are well again. */
import type { PersistentVolume } from '../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../api/resources.ts';
import { messageOf } from '../../base/errors.ts';
import type { Service } from '../../base/service.ts';
import { referenceTo } from '../../client/events.ts';
import { ControllerServiceCapability_RPC_Type as Rpc, type VolumeCondition } from '../proto.ts';
import { listVolumes } from './list-volumes.ts';
import type { RoleDeps } from './role.ts';

export interface HealthMonitorOptions {
	/** --monitor-interval, for drivers that are asked for one volume at a time. */
	readonly everyMs: number;
	/** --list-volumes-interval, for drivers that list them. */
	readonly listEveryMs: number;
}

const HEALTH_MONITOR_DEFAULTS: HealthMonitorOptions = { everyMs: 60_000, listEveryMs: 300_000 };

export function createHealthMonitor(deps: RoleDeps, given: Partial<HealthMonitorOptions> = {}): readonly Service[] {
	const { driver, informers, clock } = deps;
	const log = deps.log.with({ role: 'health-monitor' });
	const options = { ...HEALTH_MONITOR_DEFAULTS, ...given };
	const rpcs = driver.controllerRpcs;
	const lists = rpcs.has(Rpc.LIST_VOLUMES);
	if (!rpcs.has(Rpc.VOLUME_CONDITION) || (!lists && !rpcs.has(Rpc.GET_VOLUME))) return [];
	const volumes = informers.get(PERSISTENT_VOLUMES);
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	/** Volumes that were told to be abnormal. */
	const abnormal = new Set<string>();
	return [
		{
			name: 'csi-health-monitor',
			after: [],
			async run(signal, ready) {
				ready();
				while (!signal.aborted)
					try {
						await clock.sleep(lists ? options.listEveryMs : options.everyMs, signal);
						const own = volumes.lister.list().filter((v) => v.spec?.csi?.driver === driver.name && v.status?.phase === 'Bound');
						const conditions = await (lists ? listed(deps, signal) : asked(deps, own, signal));
						for (const volume of own) tell(volume, conditions.get(volume.spec?.csi?.volumeHandle ?? ''));
					} catch (error) {
						if (!signal.aborted) log.error('the volumes are not looked at', { reason: messageOf(error) });
					}
			},
		},
	];

	function tell(volume: PersistentVolume, condition: VolumeCondition | undefined): void {
		const ref = volume.spec?.claimRef;
		const claim = claims.lister.get(`${ref?.namespace ?? ''}/${ref?.name ?? ''}`);
		const name = volume.metadata.name ?? '';
		if (claim === undefined || condition === undefined) return;
		const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
		if (condition.abnormal) {
			abnormal.add(name);
			deps.recorder.event(about, 'Warning', 'VolumeConditionAbnormal', condition.message);
		} else if (abnormal.delete(name))
			deps.recorder.event(about, 'Normal', 'VolumeConditionNormal', 'The Volume returns to the healthy state');
	}
}

type Conditions = ReadonlyMap<string, VolumeCondition | undefined>;

async function listed({ driver }: RoleDeps, signal: AbortSignal): Promise<Conditions> {
	const found = new Map<string, VolumeCondition | undefined>();
	for await (const { volume, status } of listVolumes(driver, signal)) found.set(volume?.volumeId ?? '', status?.volumeCondition);
	return found;
}

async function asked({ driver }: RoleDeps, volumes: readonly PersistentVolume[], signal: AbortSignal): Promise<Conditions> {
	const found = new Map<string, VolumeCondition | undefined>();
	for (const { spec } of volumes) {
		const volumeId = spec?.csi?.volumeHandle ?? '';
		const { status } = await driver.controller.controllerGetVolume({ volumeId }, { timeoutMs: driver.timeoutMs, signal });
		found.set(volumeId, status?.volumeCondition);
	}
	return found;
}
