/** RuntimeClass: its overhead, node selector and tolerations become the pod's. */
import { asSent } from '../../../../api/sent-empty.ts';
import type { Pod, RuntimeClass } from '../../../../api/gen/types.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import { compareQuantities } from '../../../../api/quantity.ts';
import { RUNTIME_CLASSES } from '../../../../api/resources.ts';
import { unknownFailure } from '../../../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { unaskable } from '../unaskable.ts';
import { merged } from './merged-tolerations.ts';
import { refusal } from '../refusal.ts';
import { isPod, written } from '../target.ts';

export class RuntimeClassAdmission implements AdmissionPlugin {
	readonly name = 'RuntimeClass';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return isPod(attributes) && attributes.operation === 'CREATE';
	}

	mutate(attributes: AdmissionAttributes): void {
		const found = this.#classOf(attributes);
		if (found === undefined) return;
		setOverhead(attributes, found);
		setScheduling(attributes, found);
	}

	validate(attributes: AdmissionAttributes): void {
		const found = this.#classOf(attributes);
		const spec = written<Pod>(attributes).spec;
		if (found?.overhead !== undefined) {
			if (!same(spec?.overhead, found.overhead.podFixed))
				throw refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
		} else if (asSent(spec, 'overhead') !== undefined) {
			throw refusal(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
		}
	}

	#classOf(attributes: AdmissionAttributes): RuntimeClass | undefined {
		const name = written<Pod>(attributes).spec?.runtimeClassName;
		if (name === undefined) return undefined;
		const fault = unaskable(name);
		if (fault !== undefined) throw unknownFailure(fault);
		const found = this.#objects.get(RUNTIME_CLASSES, name);
		if (found === undefined) throw refusal(attributes, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
		return found;
	}
}

function setOverhead(attributes: AdmissionAttributes, runtimeClass: RuntimeClass): void {
	const spec = written<Pod>(attributes).spec;
	const fixed = runtimeClass.overhead?.podFixed;
	if (spec === undefined || fixed === undefined) return;
	if (Object.keys(spec.overhead ?? {}).length > 0 && !same(spec.overhead, fixed))
		throw refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
	spec.overhead = { ...fixed };
}

function setScheduling(attributes: AdmissionAttributes, runtimeClass: RuntimeClass): void {
	const spec = written<Pod>(attributes).spec;
	const scheduling = runtimeClass.scheduling;
	if (spec === undefined || scheduling === undefined) return;
	for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
		const own = spec.nodeSelector?.[key];
		if (own !== undefined && own !== value)
			throw refusal(
				attributes,
				`conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
			);
	}
	if (scheduling.nodeSelector !== undefined) spec.nodeSelector = { ...spec.nodeSelector, ...scheduling.nodeSelector };
	const tolerations = merged([...(spec.tolerations ?? []), ...(scheduling.tolerations ?? [])]);
	if (tolerations.length > 0) spec.tolerations = tolerations;
}

/** Quantities may be spelled in several ways. */
function same(a: Quantities | undefined, b: Quantities | undefined): boolean {
	const [left, right] = [Object.entries(a ?? {}), b ?? {}];
	return (
		left.length === Object.keys(right).length &&
		left.every(([key, value]) => Object.hasOwn(right, key) && compareQuantities(value, right[key] ?? '0') === 0)
	);
}

type Quantities = Readonly<Record<string, string>>;
