/** The `args` of a plugin in a KubeSchedulerConfiguration: read strictly, completed, and checked as upstream does (validation_pluginargs.go). Pure. */
import type { NodeAffinity, TopologySpreadConstraint } from '../../../api/gen/types.ts';
import { duplicate, invalidValue } from '../../../api/field-error.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import { AppError } from '../../../base/errors.ts';
import type { Shape } from '../../../base/shape.ts';
import { DEFAULT_ARGS, type PluginArgs } from '../plugin-args.ts';
import { durationFault, durationOf } from './durations.ts';
import { nodeAffinityFaults, nodeAffinityShape } from './node-affinity-args.ts';
import { between, fitArgs, resourcesOf } from './resource-args.ts';
import { spreadFaults, spreadShape } from './spread-args.ts';

export const API_VERSION = 'kubescheduler.config.k8s.io/v1';

type Name = keyof PluginArgs;
type Readers = { readonly [N in Name]: (args: Shape, path: string, out: Errors) => PluginArgs[N] };

const READERS: Readers = {
	DefaultPreemption(args, path, out) {
		args.only('apiVersion', 'kind', 'minCandidateNodesPercentage', 'minCandidateNodesAbsolute');
		const minCandidateNodesPercentage = args.has('minCandidateNodesPercentage') ? args.number('minCandidateNodesPercentage') : 10;
		const minCandidateNodesAbsolute = args.has('minCandidateNodesAbsolute') ? args.number('minCandidateNodesAbsolute') : 100;
		const [percentage, absolute] = [`${path}.minCandidateNodesPercentage`, `${path}.minCandidateNodesAbsolute`];
		between(out, percentage, minCandidateNodesPercentage, 0, 100);
		if (minCandidateNodesAbsolute < 0) out.push(invalidValue(absolute, minCandidateNodesAbsolute, 'not in valid range [0, inf)'));
		if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0) {
			out.push(invalidValue(percentage, 0, 'cannot be zero at the same time as minCandidateNodesAbsolute'));
			out.push(invalidValue(absolute, 0, 'cannot be zero at the same time as minCandidateNodesPercentage'));
		}
		return { minCandidateNodesPercentage, minCandidateNodesAbsolute };
	},
	DynamicResources(args, path, out) {
		args.only('apiVersion', 'kind', 'filterTimeout', 'bindingTimeout');
		const { filterTimeoutMs, bindingTimeoutMs } = DEFAULT_ARGS.DynamicResources;
		durationFault(out, path, args, 'filterTimeout', (ms) => ms >= 0, 'must be zero or positive');
		durationFault(out, path, args, 'bindingTimeout', (ms) => ms >= 1000, 'must be at least 1 second');
		return {
			filterTimeoutMs: durationOf(args, 'filterTimeout', filterTimeoutMs),
			bindingTimeoutMs: durationOf(args, 'bindingTimeout', bindingTimeoutMs),
		};
	},
	InterPodAffinity(args, path, out) {
		args.only('apiVersion', 'kind', 'hardPodAffinityWeight', 'ignorePreferredTermsOfExistingPods');
		const hardPodAffinityWeight = args.has('hardPodAffinityWeight') ? args.number('hardPodAffinityWeight') : 1;
		between(out, `${path}.hardPodAffinityWeight`, hardPodAffinityWeight, 0, 100);
		return { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods: args.bool('ignorePreferredTermsOfExistingPods') };
	},
	NodeAffinity(args, path, out) {
		args.only('apiVersion', 'kind', 'addedAffinity');
		if (!args.has('addedAffinity')) return {};
		nodeAffinityShape(args.map('addedAffinity'));
		const addedAffinity = args.value['addedAffinity'] as NodeAffinity;
		nodeAffinityFaults(out, `${path}.addedAffinity`, addedAffinity);
		return { addedAffinity };
	},
	NodeResourcesBalancedAllocation(args, path, out) {
		args.only('apiVersion', 'kind', 'resources');
		const resources = resourcesOf(args);
		for (const [i, { name, weight }] of resources.entries()) {
			const at = `${path}.resources[${i}]`;
			if (resources.findIndex((other) => other.name === name) !== i) out.push(duplicate(`${at}.name`, name));
			if (weight !== 1) out.push(invalidValue(`${at}.weight`, weight, 'must be 1'));
		}
		return { resources };
	},
	NodeResourcesFit: fitArgs,
	PodTopologySpread(args, path, out) {
		args.only('apiVersion', 'kind', 'defaultConstraints', 'defaultingType');
		const defaultingType = args.text('defaultingType') === '' ? 'System' : args.text('defaultingType');
		for (const constraint of args.list('defaultConstraints')) spreadShape(constraint);
		const defaultConstraints = (args.value['defaultConstraints'] ?? []) as readonly TopologySpreadConstraint[];
		spreadFaults(out, path, defaultingType, defaultConstraints);
		return { defaultConstraints, defaultingType: defaultingType as 'System' | 'List' };
	},
	VolumeBinding(args, path, out) {
		args.only('apiVersion', 'kind', 'bindTimeoutSeconds', 'shape');
		const bindTimeoutSeconds = args.has('bindTimeoutSeconds') ? args.number('bindTimeoutSeconds') : 600;
		if (bindTimeoutSeconds < 0)
			out.push(
				invalidValue(`${path}.bindTimeoutSeconds`, bindTimeoutSeconds, 'invalid BindTimeoutSeconds, should not be a negative value'),
			);
		if (args.has('shape'))
			out.push(
				invalidValue(
					`${path}.shape`,
					args.value['shape'],
					'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
				),
			);
		return { bindTimeoutSeconds };
	},
};

/** True for plugins that are told something. */
export function hasArgs(name: string): name is Name {
	return Object.hasOwn(DEFAULT_ARGS, name);
}

/** The arguments of all plugins, with those of one as given. */
export function withArgs(all: PluginArgs, name: Name, args: Shape, path: string, out: Errors): PluginArgs {
	const kind = args.text('kind');
	const isOurs = (kind === '' || kind === `${name}Args`) && ['', API_VERSION].includes(args.text('apiVersion'));
	if (!isOurs)
		throw new AppError(
			'InvalidArgument',
			`args for plugin ${name} were not of type ${name}Args.kubescheduler.config.k8s.io, got ${kind} of ${args.text('apiVersion')}`,
		);
	return { ...all, [name]: READERS[name](args, path, out) };
}
