/** DefaultTolerationSeconds: pods stay for a while, five minutes unless told, on a node that is not ready or not reachable, unless they say otherwise. */
import type { Pod, Toleration } from '../../../../api/gen/types.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../contracts.ts';
import { isPod, written } from '../target.ts';

export interface TolerationSeconds {
	readonly notReady: number;
	readonly unreachable: number;
}

export const DEFAULT_TOLERATION_SECONDS = 300;

export class DefaultTolerationSeconds implements AdmissionPlugin {
	readonly name = 'DefaultTolerationSeconds';
	readonly #seconds: ReadonlyMap<string, number>;

	constructor({ notReady, unreachable }: Partial<TolerationSeconds> = {}) {
		this.#seconds = new Map([
			['node.kubernetes.io/not-ready', notReady ?? DEFAULT_TOLERATION_SECONDS],
			['node.kubernetes.io/unreachable', unreachable ?? DEFAULT_TOLERATION_SECONDS],
		]);
	}

	handles(attributes: AdmissionAttributes): boolean {
		return isPod(attributes) && (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE');
	}

	mutate(attributes: AdmissionAttributes): void {
		const spec = written<Pod>(attributes).spec;
		if (spec === undefined) return;
		const added = [...this.#seconds].filter(([key]) => !(spec.tolerations ?? []).some((t) => covers(t, key)));
		if (added.length > 0)
			spec.tolerations = [
				...(spec.tolerations ?? []),
				...added.map(([key, tolerationSeconds]) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds })),
			];
	}
}

function covers({ key = '', effect = '' }: Toleration, taint: string): boolean {
	return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');
}
