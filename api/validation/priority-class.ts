/** PriorityClasses: the value of one stays, and names with `system-` are the system's. */
import { fieldForbidden, required } from '../field-error.ts';
import type { PriorityClass } from '../gen/types.ts';
import { CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from './metadata.ts';
import { immutable, oneOf, type Errors } from './rule.ts';

const MAX_USER_PRIORITY = 1_000_000_000;
/** The system's own classes with their values; no other may have a name that begins with `system-`. */
const SYSTEM_PRIORITIES = new Map([
	['system-node-critical', 2_000_001_000],
	['system-cluster-critical', 2_000_000_000],
]);

export function priorityClass(out: Errors, object: PriorityClass): void {
	const { name = '' } = object.metadata;
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	if (name.startsWith('system-')) {
		const why = systemClassFault(name, object);
		if (why !== undefined)
			out.push(
				fieldForbidden('metadata.name', `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`),
			);
	} else if ((object.value ?? 0) > MAX_USER_PRIORITY)
		out.push(fieldForbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`));
	if (object.preemptionPolicy === '') out.push(required('preemptionPolicy'));
	else oneOf(out, 'preemptionPolicy', object.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
}

function systemClassFault(name: string, { value = 0, globalDefault = false }: PriorityClass): string | undefined {
	const known = SYSTEM_PRIORITIES.get(name);
	if (known === undefined) return `${name} is not a known system priority class`;
	if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
	return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function priorityClassUpdate(out: Errors, object: PriorityClass, old: PriorityClass): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (object.value !== old.value) out.push(fieldForbidden('value', 'may not be changed in an update.'));
	immutable(out, 'preemptionPolicy', object.preemptionPolicy, old.preemptionPolicy);
}
