/** DynamicResources: a node from which the devices of the pod's claims can be reached, and whose devices suffice for those that have none yet. */
import type { ResourceResourceClaim } from '../../../api/gen/types.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { bindingEnds, readinessOf } from '../devices/binding.ts';
import { allocateDeps, needsOf } from '../devices/needs.ts';
import { allocationOn, alternativesScore } from '../devices/node-allocation.ts';
import { selects } from '../devices/pools.ts';
import type { DevicesView, Found, NodeAllocation } from '../devices/view.ts';
import { impossible, PluginFailed, scaleToMax, type FilterPlugin, type ScorePlugin } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PluginArgs } from '../plugin-args.ts';

const NAME = 'DynamicResources';

export function dynamicResources(view: DevicesView, { filterTimeoutMs, bindingTimeoutMs }: PluginArgs['DynamicResources']): FilterPlugin {
	const isLate = (claim: ResourceResourceClaim): boolean => bindingEnds(claim, bindingTimeoutMs) < view.now();
	/** Its devices can be used from the node, and get ready. */
	const isAvailable = (claim: ResourceResourceClaim, { node }: NodeInfo): boolean => {
		const selector = claim.status?.allocation?.nodeSelector;
		if (selector !== undefined && !selects(selector, node)) return false;
		const { type } = readinessOf(claim);
		return type === 'ready' || (type === 'waiting' && !isLate(claim));
	};
	return {
		name: NAME,
		wokenBy: ['devicesChanged', 'nodeAdded', 'nodeLabel', 'nodeAllocatable'],
		prepare(info) {
			view.found.delete(info);
			const needs = needsOf(info, view);
			if (needs === undefined) return 'skip';
			if ('refused' in needs) return impossible(needs.refused);
			const searches = needs.open.length > 0 || needs.extended;
			const timeLeft = { isOver: (): boolean => false };
			const deps = searches ? allocateDeps(view, () => timeLeft.isOver()) : undefined;
			if (searches && deps === undefined) return impossible('expressions of device selectors are not ready');
			const index = view.slices();
			const found: Found = { allocations: new Map<string, NodeAllocation>(), unavailable: new Set(), stale: needs.stale };
			view.found.set(info, found);
			return (node) => {
				if (deps !== undefined) {
					if (filterTimeoutMs > 0) timeLeft.isOver = view.after(filterTimeoutMs);
					const allocation = told(node.name, () => allocationOn(info, node, needs, index, deps, view.classFor));
					if ('refused' in allocation) return impossible(allocation.refused);
					found.allocations.set(node.name, allocation);
				}
				const away = needs.allocated.filter((claim) => !isAvailable(claim, node));
				for (const claim of away) found.unavailable.add(claim);
				return away.length === 0 ? undefined : impossible('resourceclaim not available on the node');
			};
		},
	};
}

/** Claims that are wrong end the search: no other node would do either. */
function told<T>(node: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const where = error.code === 'DeadlineExceeded' ? `node ${node}: ` : '';
		throw new PluginFailed(`running "${NAME}" filter plugin: ${where}${messageOf(error)}`, { cause: error });
	}
}

/** Better a node that gives the alternatives that are named first. */
export function dynamicResourcesScore(view: DevicesView): ScorePlugin {
	return {
		name: NAME,
		prepare(info) {
			const found = view.found.get(info);
			const needs = found === undefined ? undefined : needsOf(info, view);
			if (found === undefined || needs === undefined || 'refused' in needs) return 'skip';
			const had = needs.allocated.map(({ status }) => status?.allocation ?? {});
			return ({ name }) =>
				alternativesScore([...needs.allocated, ...needs.open], [...had, ...(found.allocations.get(name)?.results ?? [])]);
		},
		normalize: (scores) => scaleToMax(scores, false),
	};
}
