/** SELinux labels of volumes in numbers, under upstream's names. */
import { Gauge, type Registry } from '../../base/metrics.ts';

export class LabelFigures {
	readonly #podErrors: Gauge;
	readonly #podWarnings: Gauge;
	readonly #volumeErrors: Gauge;
	readonly #volumeWarnings: Gauge;
	readonly #admitted: Gauge;

	constructor(registry: Registry) {
		const gauge = (name: string, help: string, ...labelNames: readonly string[]): Gauge => {
			const whole = { name: `volume_manager_selinux_${name}_total`, help: `[ALPHA] ${help}` };
			return new Gauge({ ...whole, labelNames: [...labelNames, 'access_mode'], registers: [registry] });
		};
		// The label of a container is put together from what it asks for, which does not fail.
		gauge('container_errors', `${NO_CONTEXT}. ${RETRIED} containers.`);
		gauge('container_warnings', `${NO_CONTEXT} that are ignored. They will ${EXPANDED}`);
		this.#podErrors = gauge('pod_context_mismatch_errors', `${POD}. ${RETRIED} Pods.`);
		this.#podWarnings = gauge('pod_context_mismatch_warnings', `${POD}. They are not errors yet, but they will ${EXPANDED}`);
		this.#volumeErrors = gauge('volume_context_mismatch_errors', `${VOLUME}. ${RETRIED} Pods.`, 'volume_plugin');
		this.#volumeWarnings = gauge(
			'volume_context_mismatch_warnings',
			`${VOLUME}. They are not errors yet, but they will ${EXPANDED}`,
			'volume_plugin',
		);
		this.#admitted = gauge(
			'volumes_admitted',
			'Number of volumes whose SELinux context was fine and will be mounted with mount -o context option.',
			'volume_plugin',
		);
	}

	/** Containers of one pod want different labels of a volume. @param isError whether the pod is held up by it */
	podMismatch(isError: boolean, access_mode: string): void {
		(isError ? this.#podErrors : this.#podWarnings).inc({ access_mode });
	}

	/** Pods want different labels of a volume. @param isError whether the pod is held up by it */
	volumeMismatch(isError: boolean, volume_plugin: string, access_mode: string): void {
		(isError ? this.#volumeErrors : this.#volumeWarnings).inc({ volume_plugin, access_mode });
	}

	admitted(volume_plugin: string, access_mode: string): void {
		this.#admitted.inc({ volume_plugin, access_mode });
	}
}

const NO_CONTEXT = 'Number of errors when kubelet cannot compute SELinux context for a container';
const POD = 'Number of errors when a Pod defines different SELinux contexts for its containers that use the same volume';
const VOLUME = 'Number of errors when a Pod uses a volume that is already mounted with a different SELinux context than the Pod needs';
const RETRIED = "Kubelet can't start such a Pod then and it will retry, therefore value of this metric may not represent the actual nr. of";
const EXPANDED = 'become real errors when SELinuxMountReadWriteOncePod feature is expanded to all volume access modes.';
