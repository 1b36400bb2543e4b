/** Priority: a pod's priority comes from its PriorityClass; there is one default class at most, and the system's own stay. */
import type { Pod, PriorityClass } from '../../../../api/gen/types.ts';
import { PRIORITY_CLASSES } from '../../../../api/resources.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor, isPod, stored, written } from '../target.ts';

const SYSTEM_CLASSES: readonly string[] = ['system-node-critical', 'system-cluster-critical'];
const GROUP = 'scheduling.k8s.io';

export class Priority implements AdmissionPlugin {
	readonly name = 'Priority';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		if (isPod(attributes)) return attributes.operation === 'CREATE' || attributes.operation === 'UPDATE';
		return isFor(attributes, GROUP, 'priorityclasses');
	}

	mutate(attributes: AdmissionAttributes): void {
		if (isPod(attributes)) {
			if (attributes.operation === 'CREATE') this.#setPriority(attributes);
			else keepPriority(attributes);
		}
	}

	validate(attributes: AdmissionAttributes): void {
		if (isPod(attributes)) return;
		if (attributes.operation === 'DELETE') {
			if (SYSTEM_CLASSES.includes(attributes.name)) throw refusal(attributes, 'this is a system priority class and cannot be deleted');
			return;
		}
		const { globalDefault, metadata } = written<PriorityClass>(attributes);
		const other = globalDefault === true ? this.#default() : undefined;
		if (other !== undefined && (attributes.operation === 'CREATE' || other.metadata.name !== metadata.name))
			throw refusal(attributes, `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`);
	}

	#setPriority(attributes: AdmissionAttributes): void {
		const spec = written<Pod>(attributes).spec;
		if (spec === undefined) return;
		const asked = spec.priorityClassName ?? '';
		const found = asked === '' ? this.#default() : this.#objects.get(PRIORITY_CLASSES, asked);
		if (asked !== '' && found === undefined) throw refusal(attributes, `no PriorityClass with name ${asked} was found`);
		const priority = found?.value ?? 0;
		const policy = found?.preemptionPolicy ?? 'PreemptLowerPriority';
		if (asked === '' && found !== undefined) spec.priorityClassName = found.metadata.name;
		if (spec.priority !== undefined && spec.priority !== priority)
			throw refusal(
				attributes,
				`the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
			);
		if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
			throw refusal(
				attributes,
				`the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
			);
		spec.priority = priority;
		spec.preemptionPolicy = policy;
	}

	/** The default class; of several, the one of lowest value. */
	#default(): PriorityClass | undefined {
		return this.#objects
			.list(PRIORITY_CLASSES)
			.filter((c) => c.globalDefault === true)
			.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
	}
}

/** A client that knows nothing of priorities does not take a pod's away. */
function keepPriority(attributes: AdmissionAttributes): void {
	const spec = written<Pod>(attributes).spec;
	const before = stored<Pod>(attributes)?.spec;
	if (spec === undefined || before === undefined) return;
	if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
	if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined) spec.preemptionPolicy = before.preemptionPolicy;
}
