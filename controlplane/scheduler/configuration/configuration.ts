/** What upstream's KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) says, read strictly, completed and checked as upstream does. Pure. */
import { readYaml } from '../../../base/parse-yaml.ts';
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { Shape } from '../../../base/shape.ts';
import { API_VERSION } from './args.ts';
import { extendersOf, type ExtenderSettings } from './extenders.ts';
import { leaderElectionOf, type LeaderElectionSettings } from './leader-election.ts';
import { percentageFault, profilesOf, type ProfileSettings } from './profile.ts';

export interface SchedulerSettings {
	readonly podInitialBackoffSeconds: number;
	readonly podMaxBackoffSeconds: number;
	/** At least one, by different names. */
	readonly profiles: readonly ProfileSettings[];
	/** Asked about nodes beside the plugins; in the order in which they are asked. */
	readonly extenders: readonly ExtenderSettings[];
	/** Who places pods where several schedulers run; undefined where one runs. */
	readonly leaderElection?: LeaderElectionSettings;
	/** Fields that are given, and right, and change nothing here. */
	readonly unused: readonly string[];
}

/** Settings of upstream's parts that have no counterpart here: threads, its client, its debugging. */
const UNUSED = ['parallelism', 'clientConnection', 'enableProfiling', 'enableContentionProfiling', 'delayCacheUntilActive'] as const;

/** AppError InvalidArgument names every fault; `source` is where the text is from. */
export function parseSchedulerConfiguration(text: string, source: string): SchedulerSettings {
	const out: Errors = [];
	let settings: SchedulerSettings;
	try {
		const shape = new Shape(readYaml(text), '');
		shape.kind([API_VERSION], 'KubeSchedulerConfiguration');
		settings = settingsOf(shape, out);
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the scheduler configuration "${source}": ${messageOf(cause)}`, { cause });
	}
	if (out.length > 0)
		throw new AppError('InvalidArgument', `The scheduler configuration "${source}" is wrong: ${out.map(textOf).join('; ')}`);
	return settings;
}

/** What upstream's scheduler does without a file. */
export function defaultSettings(): SchedulerSettings {
	return settingsOf(new Shape({}, ''), []);
}

function settingsOf(shape: Shape, out: Errors): SchedulerSettings {
	shape.only(
		...['apiVersion', 'kind', 'leaderElection', 'percentageOfNodesToScore', 'podInitialBackoffSeconds', 'podMaxBackoffSeconds'],
		...['profiles', 'extenders', ...UNUSED],
	);
	checkUnused(shape, out);
	const numberOf = (field: string, unless: number): number => (shape.has(field) ? shape.number(field) : unless);
	const podInitialBackoffSeconds = numberOf('podInitialBackoffSeconds', 1);
	const podMaxBackoffSeconds = numberOf('podMaxBackoffSeconds', 10);
	const percentage = numberOf('percentageOfNodesToScore', 0);
	const leaderElection = leaderElectionOf(shape.map('leaderElection'), out);
	const extenders = extendersOf(shape.list('extenders'), out);
	const profiles = profilesOf(shape.list('profiles'), percentage, out).map((profile) => ignoring(profile, extenders));
	percentageFault(out, 'percentageOfNodesToScore', percentage);
	if (podInitialBackoffSeconds <= 0) out.push(invalidValue('podInitialBackoffSeconds', podInitialBackoffSeconds, 'must be greater than 0'));
	if (podMaxBackoffSeconds < podInitialBackoffSeconds)
		out.push(invalidValue('podMaxBackoffSeconds', podMaxBackoffSeconds, 'must be greater than or equal to PodInitialBackoffSeconds'));
	const unused = UNUSED.filter((field) => shape.has(field));
	return {
		podInitialBackoffSeconds,
		podMaxBackoffSeconds,
		profiles,
		extenders,
		unused,
		...(leaderElection === undefined ? {} : { leaderElection }),
	};
}

function checkUnused(shape: Shape, out: Errors): void {
	for (const field of ['enableProfiling', 'enableContentionProfiling', 'delayCacheUntilActive']) shape.bool(field);
	const connection = shape.map('clientConnection');
	connection.only('kubeconfig', 'acceptContentTypes', 'contentType', 'qps', 'burst');
	for (const field of ['kubeconfig', 'acceptContentTypes', 'contentType']) connection.text(field);
	if (connection.has('qps') && typeof connection.value['qps'] !== 'number')
		throw new AppError(
			'InvalidArgument',
			`clientConnection.qps: Invalid value: ${JSON.stringify(connection.value['qps'])}: must be a number`,
		);
	if (connection.number('burst') < 0) out.push(invalidValue('clientConnection.burst', connection.number('burst'), 'must be non-negative'));
	if (shape.has('parallelism') && shape.number('parallelism') <= 0)
		out.push(invalidValue('parallelism', shape.number('parallelism'), 'should be an integer value greater than zero'));
}

/** What an extender looks after, and says so, nodes need not have: in the place of what the profile ignores (upstream's buildExtenders). */
function ignoring(profile: ProfileSettings, extenders: readonly ExtenderSettings[]): ProfileSettings {
	const ignoredResources = extenders.flatMap((extender) => extender.ignoredResources);
	if (ignoredResources.length === 0) return profile;
	return { ...profile, args: { ...profile.args, NodeResourcesFit: { ...profile.args.NodeResourcesFit, ignoredResources } } };
}

const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`;
