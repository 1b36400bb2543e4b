/** DynamicResources: a node from which the devices of the pod's claims can be reached, and whose devices suffice for those that have none yet. */
import { messageOf } from '../../../base/errors.ts';
import { allocate } from '../devices/allocate.ts';
import { allocateDeps, needsOf } from '../devices/needs.ts';
import { currentSlices, devicesOf, selects } from '../devices/pools.ts';
import type { DevicesView } from '../devices/view.ts';
import { impossible, type FilterPlugin } from '../framework.ts';

export function dynamicResources(view: DevicesView): FilterPlugin {
	return {
		name: 'DynamicResources',
		wokenBy: ['devicesChanged', 'nodeAdded', 'nodeLabel'],
		prepare({ pod }) {
			const needs = needsOf(pod, view);
			if (needs === undefined) return 'skip';
			if ('refused' in needs) return impossible(needs.refused);
			const deps = needs.open.length === 0 ? undefined : allocateDeps(view);
			if (needs.open.length > 0 && deps === undefined) return impossible('expressions of device selectors are not ready');
			const slices = deps === undefined ? [] : currentSlices(view.slices());
			return ({ name, node }) => {
				const near = needs.allocated.every(({ status }) => {
					const selector = status?.allocation?.nodeSelector;
					return selector === undefined || selects(selector, node);
				});
				if (!near) return impossible('resourceclaim not available on the node');
				if (deps === undefined) return undefined;
				try {
					return allocate(needs.open, name, devicesOf(node, slices), deps) === undefined
						? impossible('cannot allocate all claims')
						: undefined;
				} catch (error) {
					return impossible(messageOf(error));
				}
			};
		},
	};
}
