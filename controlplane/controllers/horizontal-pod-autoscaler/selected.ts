/** The pods of an autoscaler's target: told apart by the selector that the target's scale names, and no other autoscaler's. */
import type { Pod } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { matchesRequirement, parseLabelSelector, type LabelRequirement } from '../../../api/selector/label-text.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';

type Selector = readonly LabelRequirement[];

/** Why the pods are not plain: what the condition says beside what the event does. */
export class SelectorFailure extends AppError {
	readonly reason: string;
	readonly event: string;
	readonly condition: string;

	constructor(reason: string, message: string, { event = reason, condition = message } = {}) {
		super('FailedPrecondition', message);
		this.reason = reason;
		this.event = event;
		this.condition = condition;
	}
}

export class SelectedPods {
	readonly #pods: Lister<Pod>;
	readonly #selectors = new Map<Key, Selector>();

	constructor(pods: Lister<Pod>) {
		this.#pods = pods;
	}

	forget(key: Key): void {
		this.#selectors.delete(key);
	}

	/** @param key of the autoscaler. SelectorFailure in upstream's words. */
	of(key: Key, namespace: string, text: string): readonly Pod[] {
		const selector = parsed(text);
		this.#selectors.set(key, selector);
		const found = this.#pods.list(namespace).filter((pod) => isSelected(pod, selector));
		const all = [...this.#selectors].filter(([other, theirs]) => isOf(other, namespace) && found.some((pod) => isSelected(pod, theirs)));
		if (all.length < 2) return found;
		const keys = all.map(([other]) => other).join(' ');
		throw new SelectorFailure('AmbiguousSelector', `pods by selector ${text} are controlled by multiple HPAs: [${keys}]`);
	}
}

function parsed(text: string): Selector {
	if (text === '')
		throw new SelectorFailure('InvalidSelector', 'selector is required', {
			...{ event: 'SelectorRequired', condition: "the HPA target's scale is missing a selector" },
		});
	try {
		return parseLabelSelector(text);
	} catch (error) {
		const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
		throw new SelectorFailure('InvalidSelector', message);
	}
}

function isOf(key: Key, namespace: string): boolean {
	return key.startsWith(`${namespace}/`);
}

function isSelected(pod: Pod, selector: Selector): boolean {
	return selector.every((requirement) => matchesRequirement(requirement, pod.metadata.labels ?? {}));
}
