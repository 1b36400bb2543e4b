/** Arguments about resources: which of them are scored, how much each counts, and by which curve. Pure. */
import { fieldForbidden, invalidValue, notSupported, required } from '../../../api/field-error.ts';
import { qualifiedName } from '../../../api/validation/names.ts';
import { texts, type Errors } from '../../../api/validation/rule.ts';
import type { Shape } from '../../../base/shape.ts';
import { DEFAULT_ARGS, type PluginArgs, type ResourceWeight, type ScoringStrategy, type ShapePoint } from '../plugin-args.ts';

const STRATEGIES = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'] as const;

export function fitArgs(args: Shape, path: string, out: Errors): PluginArgs['NodeResourcesFit'] {
	args.only('apiVersion', 'kind', 'ignoredResources', 'ignoredResourceGroups', 'scoringStrategy');
	const ignoredResources = args.texts('ignoredResources');
	const ignoredResourceGroups = args.texts('ignoredResourceGroups');
	for (const [i, name] of ignoredResources.entries()) texts(out, `${path}.ignoredResources[${i}]`, name, qualifiedName(name));
	for (const [i, group] of ignoredResourceGroups.entries()) {
		const at = `${path}.ignoredResourceGroups[${i}]`;
		if (group.includes('/')) out.push(invalidValue(at, group, "resource group name can't contain '/'"));
		texts(out, at, group, qualifiedName(group));
	}
	return { ignoredResources, ignoredResourceGroups, scoringStrategy: strategyOf(args, `${path}.scoringStrategy`, out) };
}

function strategyOf(args: Shape, path: string, out: Errors): ScoringStrategy {
	if (!args.has('scoringStrategy')) return DEFAULT_ARGS.NodeResourcesFit.scoringStrategy;
	const strategy = args.map('scoringStrategy');
	strategy.only('type', 'resources', 'requestedToCapacityRatio');
	const type = strategy.text('type') as (typeof STRATEGIES)[number];
	const resources = resourcesOf(strategy);
	if (!STRATEGIES.includes(type)) out.push(notSupported(`${path}.type`, type, STRATEGIES));
	for (const [i, { name, weight }] of resources.entries())
		if (weight <= 0 || weight > 100)
			out.push(invalidValue(`${path}.resources[${i}].weight`, weight, `resource weight of ${name} not in valid range (0, 100]`));
	const ratio = strategy.map('requestedToCapacityRatio');
	ratio.only('shape');
	const shape = ratio.list('shape').map((point) => {
		point.only('utilization', 'score');
		return { utilization: point.number('utilization'), score: point.number('score') };
	});
	const at = `${path}.requestedToCapacityRatio`;
	if (type !== 'RequestedToCapacityRatio') {
		if (strategy.has('requestedToCapacityRatio')) out.push(fieldForbidden(at, 'must be nil when type is not RequestedToCapacityRatio'));
		return { type, resources };
	}
	if (!strategy.has('requestedToCapacityRatio')) out.push(required(at, 'must be specified when type is RequestedToCapacityRatio'));
	else shapeFaults(out, `${at}.shape`, shape);
	return { type, resources, shape };
}

/** The field "resources", cpu and memory unless told; a weight that is not given is 1. */
export function resourcesOf(shape: Shape): readonly ResourceWeight[] {
	const given = shape.list('resources').map((resource) => {
		resource.only('name', 'weight');
		const weight = resource.number('weight');
		return { name: resource.text('name'), weight: weight === 0 ? 1 : weight };
	});
	return given.length === 0 ? DEFAULT_ARGS.NodeResourcesBalancedAllocation.resources : given;
}

function shapeFaults(out: Errors, path: string, shape: readonly ShapePoint[]): void {
	if (shape.length === 0) out.push(required(path, 'at least one point must be specified'));
	const unsorted = shape.findIndex(({ utilization }, i) => i > 0 && (shape[i - 1]?.utilization ?? 0) >= utilization);
	if (unsorted > 0)
		out.push(invalidValue(`${path}[${unsorted}].utilization`, shape[unsorted]?.utilization, 'values must be sorted in increasing order'));
	for (const [i, { utilization, score }] of shape.entries()) {
		between(out, `${path}[${i}].utilization`, utilization, 0, 100);
		between(out, `${path}[${i}].score`, score, 0, 10);
	}
}

export function between(out: Errors, path: string, value: number, min: number, max: number): void {
	if (value < min || value > max) out.push(invalidValue(path, value, `not in valid range [${min}, ${max}]`));
}
