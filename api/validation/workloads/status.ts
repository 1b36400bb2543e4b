/** The status of workloads: counts that are not negative and do not exceed each other, as a table (upstream apps/validation Validate…Status). */
import { invalidValue } from '../../field-error.ts';
import type { KubeObject } from '../../resource.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { nonNegative, type Errors } from '../rule.ts';

type Counts = Readonly<Record<string, number | undefined>>;
type Statusful = KubeObject & { readonly status?: Counts };

interface CountRules {
	/** In the order of their complaints. */
	readonly counts: readonly string[];
	/** [one, the other that it may not exceed, how a complaint calls that]. */
	readonly bounded?: readonly (readonly [string, string, string])[];
	/** Never lower than before. */
	readonly rising?: string;
}

const OF_ALL = ['replicas', 'status.replicas'] as const;
const OF_READY = ['readyReplicas', 'readyReplicas'] as const;
const labelled: CountRules = {
	counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'],
	bounded: [
		['fullyLabeledReplicas', ...OF_ALL],
		['readyReplicas', ...OF_ALL],
		['availableReplicas', ...OF_ALL],
		['availableReplicas', ...OF_READY],
	],
};

const RULES: Readonly<Record<string, CountRules>> = {
	Deployment: {
		counts: [
			'observedGeneration',
			'replicas',
			'updatedReplicas',
			'readyReplicas',
			'availableReplicas',
			'unavailableReplicas',
			'terminatingReplicas',
			'collisionCount',
		],
		bounded: [
			['updatedReplicas', ...OF_ALL],
			['readyReplicas', ...OF_ALL],
			['availableReplicas', ...OF_ALL],
			['availableReplicas', ...OF_READY],
		],
		rising: 'collisionCount',
	},
	ReplicaSet: labelled,
	ReplicationController: labelled,
	StatefulSet: {
		counts: [
			'replicas',
			'readyReplicas',
			'currentReplicas',
			'updatedReplicas',
			'availableReplicas',
			'observedGeneration',
			'collisionCount',
		],
		bounded: [
			['readyReplicas', ...OF_ALL],
			['currentReplicas', ...OF_ALL],
			['updatedReplicas', ...OF_ALL],
			['availableReplicas', ...OF_ALL],
			['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
		],
		rising: 'collisionCount',
	},
	DaemonSet: {
		counts: [
			'currentNumberScheduled',
			'numberMisscheduled',
			'desiredNumberScheduled',
			'numberReady',
			'observedGeneration',
			'updatedNumberScheduled',
			'numberAvailable',
			'numberUnavailable',
			'collisionCount',
		],
		rising: 'collisionCount',
	},
};

export function countedStatus(kind: string): (out: Errors, object: KubeObject, old: KubeObject) => void {
	const { counts, bounded = [], rising } = RULES[kind] as CountRules;
	return (out, object, old) => {
		if (kind !== 'StatefulSet') objectMetaUpdate(out, object.metadata, old.metadata);
		const status = (object as Statusful).status ?? {};
		for (const name of counts) nonNegative(out, `status.${name}`, status[name]);
		for (const [name, other, called] of bounded) {
			const count = status[name] ?? 0;
			if (count > (status[other] ?? 0)) out.push(invalidValue(`status.${name}`, count, `cannot be greater than ${called}`));
		}
		// Upstream comes to it in another order.
		if (kind === 'StatefulSet') objectMetaUpdate(out, object.metadata, old.metadata);
		const before = rising === undefined ? undefined : (old as Statusful).status?.[rising];
		if (rising === undefined || before === undefined) return;
		const count = status[rising] ?? 0;
		if (status[rising] === undefined || count < before) out.push(invalidValue(`status.${rising}`, count, 'cannot be decremented'));
	};
}
