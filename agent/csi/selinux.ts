/**
 * SELinux: a volume mounted with its pod's label, where host, driver and pod allow it, so that nobody relabels its files one by one, and what stands against that, counted as upstream's
 * volume manager does (desired_state_of_world.go). Without SELinux every volume has no label, and nothing is counted.
 */
import type { CSIDriver, Pod, SELinuxOptions } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { hasSelinux } from '../../host/selinux.ts';
import { containersOf } from '../pod/containers.ts';
import { uniqueName } from './names.ts';
import type { LabelFigures } from './label-figures.ts';
import type { CsiSource } from './source.ts';

export interface Labelled {
	readonly pod: Pod;
	/** As the pod names it. */
	readonly volume: string;
	/** Of its PersistentVolume; undefined for one that the pod describes itself. */
	readonly accessModes: readonly string[] | undefined;
	/** Others' volumes are not mounted with a label. */
	readonly csi?: { readonly source: CsiSource; readonly object: CSIDriver | undefined };
}

/** The pod cannot have the volume with its labels. */
export class LabelConflict extends AppError {
	readonly volume: string;
	constructor(volume: string, message: string) {
		super('FailedPrecondition', message);
		this.volume = volume;
	}
}

/** The labels of volumes that pods of this node use or wait for. */
export class VolumeLabels {
	readonly #isOn: () => boolean;
	/** By unique name: the label that the first of its pods wanted, "" for none. */
	readonly #volumes = new Map<string, { readonly label: string; readonly pods: Set<string> }>();

	constructor(isOn: () => boolean = hasSelinux) {
		this.#isOn = isOn;
	}

	/** The options to mount it with. Idempotent; throws LabelConflict, which is counted each time. */
	admit(asked: Labelled, figures: LabelFigures): readonly string[] {
		if (!this.#isOn()) return [];
		const { pod, volume, accessModes, csi } = asked;
		const access = accessModeOf(accessModes);
		// Alone it is sure that no pod of another label has the volume.
		const matters = accessModes?.length === 1 && access === 'RWOP';
		const refuse = (message: string): void => {
			if (matters) throw new LabelConflict(volume, message);
		};
		const labels = labelsOf(pod, volume);
		if (labels.length > 1) {
			figures.podMismatch(matters, access);
			refuse(`multiple SELinux labels found: ${labels.join(',')}`);
		}
		if (csi === undefined) return [];
		const can = csi.object?.spec.seLinuxMount === true;
		const label = can && labels.length === 1 && pod.spec?.securityContext?.seLinuxChangePolicy !== 'Recursive' ? (labels[0] ?? '') : '';
		const name = uniqueName(csi.source.driver, csi.source.handle);
		const plugin = `kubernetes.io/csi/${csi.source.driver}`;
		const known = this.#volumes.get(name) ?? { label, pods: new Set<string>() };
		if (!this.#volumes.has(name) && label !== '') figures.admitted(plugin, access);
		this.#volumes.set(name, known);
		const uid = pod.metadata.uid ?? '';
		if (can && labels.length <= 1 && !known.pods.has(uid) && label !== known.label) {
			figures.volumeMismatch(matters, plugin, access);
			refuse(`conflicting SELinux labels of volume ${csi.source.specName}: ${JSON.stringify(known.label)} and ${JSON.stringify(label)}`);
		}
		known.pods.add(uid);
		return matters && known.label !== '' ? [`context="${known.label}"`] : [];
	}

	/** The pod uses nothing any more. */
	release(podUid: string): void {
		for (const [name, { pods }] of this.#volumes) if (pods.delete(podUid) && pods.size === 0) this.#volumes.delete(name);
	}
}

/** Those that the volume's files would need, of the containers that mount it and say what they are. Pure. */
export function labelsOf(pod: Pod, volume: string): readonly string[] {
	const labels = containersOf(pod)
		.filter(({ spec }) => spec.volumeMounts?.some((mount) => mount.name === volume))
		.map(({ spec }) => spec.securityContext?.seLinuxOptions ?? pod.spec?.securityContext?.seLinuxOptions)
		.map(fileLabel);
	return [...new Set(labels.filter((label) => label !== undefined))];
}

/** Files' defaults of the container policy; role and type are a process's alone. Undefined without a level, which the runtime makes up then. */
function fileLabel(options: SELinuxOptions | undefined): string | undefined {
	if (options?.level === undefined || options.level === '') return undefined;
	return [options.user || 'system_u', 'object_r', 'container_file_t', options.level].join(':');
}

/** The one that lets most have it. */
function accessModeOf(modes: readonly string[] | undefined): string {
	if (modes === undefined) return 'inline';
	return ACCESS_MODES.find(([mode]) => modes.includes(mode))?.[1] ?? '';
}

const ACCESS_MODES = [
	['ReadWriteMany', 'RWX'],
	['ReadOnlyMany', 'ROX'],
	['ReadWriteOnce', 'RWO'],
	['ReadWriteOncePod', 'RWOP'],
] as const;
