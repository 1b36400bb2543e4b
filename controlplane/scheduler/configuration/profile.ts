/** The profiles of a KubeSchedulerConfiguration: for the pods of one schedulerName, which plugins run and what they are told. Pure. */
import { duplicate, fieldForbidden, fieldNotFound, invalidValue, required } from '../../../api/field-error.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Shape } from '../../../base/shape.ts';
import { DEFAULT_ARGS, type PluginArgs } from '../plugin-args.ts';
import { hasArgs, withArgs } from './args.ts';
import { divided, isPlugin, pluginsByPoint, POINTS, type PluginsByPoint, type PluginSet, type PluginSets } from './plugin-sets.ts';

export interface ProfileSettings {
	readonly schedulerName: string;
	/** 0 to 100; 0 is upstream's share, which shrinks as nodes become many. */
	readonly percentageOfNodesToScore: number;
	readonly plugins: PluginsByPoint;
	readonly args: PluginArgs;
}

/** Upstream's v1.DefaultSchedulerName. */
export const DEFAULT_SCHEDULER = 'default-scheduler';
/** Of volumes that are no plugins of their own any more. */
const GONE = ['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits'];

/** @param percentage of profiles that say nothing of it */
export function profilesOf(shapes: readonly Shape[], percentage: number, out: Errors): readonly ProfileSettings[] {
	if (shapes.length === 0)
		return [{ schedulerName: DEFAULT_SCHEDULER, percentageOfNodesToScore: percentage, plugins: pluginsByPoint({}), args: DEFAULT_ARGS }];
	const profiles = shapes.map((shape, i) => profileOf(shape, `profiles[${i}]`, shapes.length === 1, percentage, out));
	for (const [i, { schedulerName }] of profiles.entries()) {
		const first = profiles.findIndex((other) => other.schedulerName === schedulerName);
		if (first !== i) out.push(duplicate(`profiles[${i}].schedulerName`, `profiles[${first}].schedulerName`));
	}
	return profiles;
}

export function percentageFault(out: Errors, path: string, percentage: number): void {
	if (percentage < 0 || percentage > 100) out.push(invalidValue(path, percentage, 'not in valid range [0-100]'));
}

function profileOf(shape: Shape, path: string, isOnly: boolean, percentage: number, out: Errors): ProfileSettings {
	shape.only('schedulerName', 'percentageOfNodesToScore', 'plugins', 'pluginConfig');
	const schedulerName = isOnly && !shape.has('schedulerName') ? DEFAULT_SCHEDULER : shape.text('schedulerName');
	if (schedulerName === '') out.push(required(`${path}.schedulerName`));
	const percentageOfNodesToScore = shape.has('percentageOfNodesToScore') ? shape.number('percentageOfNodesToScore') : percentage;
	percentageFault(out, `${path}.percentageOfNodesToScore`, percentageOfNodesToScore);
	const plugins = pluginsOf(shape.map('plugins'), `${path}.plugins`, schedulerName, out);
	return { schedulerName, percentageOfNodesToScore, plugins, args: argsOf(shape.list('pluginConfig'), `${path}.pluginConfig`, out) };
}

function pluginsOf(shape: Shape, path: string, schedulerName: string, out: Errors): PluginsByPoint {
	shape.only(...POINTS, 'multiPoint');
	const sets: PluginSets = Object.fromEntries(
		([...POINTS, 'multiPoint'] as const).filter((point) => shape.has(point)).map((point) => [point, setOf(shape.map(point))]),
	);
	const goneFaults = Object.entries(sets).flatMap(([point, { enabled }]) =>
		enabled.flatMap(({ name }, i) => (GONE.includes(name) ? [invalidValue(`${path}.${point}.enabled[${i}]`, name, GONE_TEXT)] : [])),
	);
	out.push(...goneFaults);
	if (goneFaults.length > 0) return pluginsByPoint({});
	const context = `initializing profiles: creating profile for scheduler name ${schedulerName}`;
	let plugins: PluginsByPoint;
	try {
		plugins = pluginsByPoint(sets);
	} catch (error) {
		throw new AppError('InvalidArgument', `${context}: ${messageOf(error)}`, { cause: error });
	}
	const of = JSON.stringify(schedulerName);
	if (plugins.queueSort.length !== 1)
		throw new AppError(
			'InvalidArgument',
			`${context}: only one queue sort plugin required for profile with scheduler name ${of}, but got ${plugins.queueSort.length}`,
		);
	if (plugins.bind.length === 0)
		throw new AppError('InvalidArgument', `${context}: at least one bind plugin is needed for profile with scheduler name ${of}`);
	for (const text of divided(plugins)) out.push(fieldForbidden(path, text));
	return plugins;
}

const GONE_TEXT =
	'was invalid in version "kubescheduler.config.k8s.io/v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")';

function setOf(shape: Shape): PluginSet {
	shape.only('enabled', 'disabled');
	const refs = (field: string): PluginSet['enabled'] =>
		shape.list(field).map((plugin) => {
			plugin.only('name', 'weight');
			return { name: plugin.text('name'), weight: plugin.number('weight') };
		});
	return { enabled: refs('enabled'), disabled: refs('disabled').map(({ name }) => name) };
}

function argsOf(configs: readonly Shape[], path: string, out: Errors): PluginArgs {
	let args = DEFAULT_ARGS;
	const seen = new Set<string>();
	for (const [i, config] of configs.entries()) {
		const at = `${path}[${i}]`;
		config.only('name', 'args');
		const name = config.text('name');
		if (seen.has(name)) out.push(duplicate(at, name));
		seen.add(name);
		if (GONE.includes(name)) out.push(invalidValue(at, name, GONE_TEXT));
		else if (hasArgs(name)) args = withArgs(args, name, config.map('args'), `${at}.args`, out);
		else if (!isPlugin(name)) out.push(fieldNotFound(`${at}.name`, name));
		else if (config.has('args')) out.push(fieldForbidden(`${at}.args`, `plugin ${JSON.stringify(name)} takes no arguments here`));
	}
	return args;
}
