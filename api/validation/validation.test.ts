import test from 'ava';
import type { FieldError } from '../field-error.ts';
import type { KubeObject } from '../resource.ts';
import { validateCreate, validateUpdate } from './validation.ts';

const metadata = { name: 'a', namespace: 'n' };
const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const podSpec = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' };
const pod = (spec: object): KubeObject => ({ metadata, spec: { ...podSpec, ...spec } }) as KubeObject;
const withContainer = (extra: object): KubeObject => pod({ containers: [{ ...container, ...extra }] });
const text = (errors: readonly FieldError[]): string[] => errors.map(({ field, message }) => `${field}: ${message}`);

const cluster = (name: string, spec: object): KubeObject => ({ metadata: { name }, spec }) as KubeObject;

for (const [name, group, kind, object, want] of [
	[
		'an API service with a name of its own and priorities out of range',
		'apiregistration.k8s.io',
		'APIService',
		cluster('x', { group: 'a.io', version: 'v1', groupPriorityMinimum: 0, versionPriority: 1001 }),
		[
			'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.a.io"',
			'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
			'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
		],
	],
	[
		'a priority level whose hand needs more bits than a hash has',
		'flowcontrol.apiserver.k8s.io',
		'PriorityLevelConfiguration',
		cluster('p', {
			type: 'Limited',
			limited: { limitResponse: { type: 'Queue', queuing: { queues: 1024, handSize: 8, queueLengthLimit: 0 } } },
		}),
		[
			'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: 0: must be positive',
			'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 1024 and handSize 8 should not be greater than 60',
		],
	],
	[
		'a slice in two places, with counters beside devices',
		'resource.k8s.io',
		'ResourceSlice',
		cluster('s', {
			...{ driver: 'd.io', pool: { name: 'p', resourceSliceCount: 1 }, nodeName: 'n', allNodes: true },
			devices: [
				{ name: 'a', nodeName: 'n' },
				{ name: 'a', consumesCounters: [{ counterSet: 'B' }] },
			],
			sharedCounters: [{ name: 'c', counters: {} }],
		}),
		[
			'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
			'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
			'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
			`spec.devices[1].consumesCounters[0].counterSet: Invalid value: "B": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
			'spec.devices[1].consumesCounters[0].counters: Required value',
			'spec.devices[1]: Duplicate value: "a"',
			'spec.sharedCounters[0].counters: Required value',
		],
	],
	[
		'shares of a device that are not to be had',
		'resource.k8s.io',
		'ResourceSlice',
		cluster('s', {
			...{ driver: 'd.io', pool: { name: 'p', resourceSliceCount: 1 }, perDeviceNodeSelection: true },
			devices: [
				{
					...{ name: 'a', allNodes: true, allowMultipleAllocations: true },
					capacity: {
						a: { value: '8', requestPolicy: { default: '3', validValues: ['1', '9'] } },
						b: { value: '8', requestPolicy: { default: '3', validRange: { min: '2', max: '10', step: '2' } } },
						c: { value: '8', requestPolicy: { validRange: { min: '2' } } },
					},
				},
				{ name: 'b', capacity: { a: { value: '8', requestPolicy: { default: '8' } } } },
			],
		}),
		[
			'spec.devices[0].capacity[a].requestPolicy.validValues[1]: Invalid value: "9": option is larger than capacity value: 8',
			'spec.devices[0].capacity[a].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
			'spec.devices[0].capacity[b].requestPolicy.validRange.max: Invalid value: "10": max is larger than capacity value: 8',
			'spec.devices[0].capacity[b].requestPolicy.validRange.step: Invalid value: "3": value is not a multiple of a given step (2) from (2)',
			'spec.devices[0].capacity[c].requestPolicy.default: Required value: required when validRange is defined',
			'spec.devices[1].capacity[a].requestPolicy: Forbidden: allowMultipleAllocations must be true',
			'spec.devices[1]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
		],
	],
	[
		'a revision of what is no object',
		'apps',
		'ControllerRevision',
		{ metadata, data: 'x', revision: 1 } as unknown as KubeObject,
		['data: Required value: data must be a valid JSON object'],
	],
	[
		'one toleration twice',
		'node.k8s.io',
		'RuntimeClass',
		{
			metadata: { name: 'r' },
			handler: 'h',
			scheduling: { tolerations: [{ operator: 'Exists' }, { operator: 'Exists' }] },
		} as unknown as KubeObject,
		['scheduling.tolerations[1]: Duplicate value: {"Key":"","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}'],
	],
	[
		'a role named after a path, in part',
		'rbac.authorization.k8s.io',
		'Role',
		{ metadata: { generateName: '..', namespace: 'n', name: 'a' } } as unknown as KubeObject,
		['metadata.generateName: Invalid value: "..": may not be \'..\''],
	],
	[
		'null is absent',
		'flowcontrol.apiserver.k8s.io',
		'FlowSchema',
		cluster('f', { matchingPrecedence: 5, priorityLevelConfiguration: { name: 'p' }, rules: [{ subjects: null }] }),
		[
			'spec.rules[0].subjects: Required value: subjects must contain at least one value',
			'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
		],
	],
	[
		'a device class whose selector does not compile',
		'resource.k8s.io',
		'DeviceClass',
		cluster('d', { selectors: [{ cel: { expression: 'device.driver' } }] }),
		['spec.selectors[0].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string'],
	],
	['a good pod', '', 'Pod', pod({}), []],
	['no containers', '', 'Pod', pod({ containers: [] }), ['spec.containers: Required value']],
	[
		'several faults come in upstream order',
		'',
		'Pod',
		pod({ containers: [{ ...container, image: '' }], restartPolicy: 'x', dnsPolicy: 'y' }),
		[
			'spec.containers[0].image: Required value',
			'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
			'spec.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
		],
	],
	[
		'an unknown mount',
		'',
		'Pod',
		withContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
		['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
	],
	[
		'a request above its limit',
		'',
		'Pod',
		withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
		['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
	],
	[
		'a key that starts with two dots',
		'',
		'ConfigMap',
		{ metadata, data: { '..x': '1' } } as unknown as KubeObject,
		[`data[..x]: Invalid value: "..x": must not start with '..'`],
	],
	[
		'a role without verbs',
		'rbac.authorization.k8s.io',
		'Role',
		{ metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] } as unknown as KubeObject,
		['rules[0].verbs: Required value: verbs must contain at least one value'],
	],
] as const)
	test(`validateCreate(): ${name}`, (t) => t.deepEqual(text(validateCreate(group, 'v1', kind, object, true)), [...want]));

for (const [what, versions, shown] of [
	['without versions', undefined, 'null'],
	['with an empty list of them', [], '[]'],
] as const)
	test(`validateCreate(): a definition ${what} shows ${shown}`, (t) => {
		const names = { plural: 'as', kind: 'A', singular: 'a', listKind: 'AList' };
		const object = cluster('as.x.io', { group: 'x.io', scope: 'Cluster', names, ...(versions === undefined ? {} : { versions }) });
		const why = `spec.versions: Invalid value: ${shown}: must have exactly one version marked as storage version`;
		t.true(text(validateCreate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', object, true)).includes(why));
	});

test('validateCreate(): a definition shows JSONPaths as Go names them, and defaults in order', (t) => {
	const names = { plural: 'as', kind: 'A', singular: 'a', listKind: 'AList' };
	const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', default: { b: 1, a: 2 } } } };
	const columns = [{ name: 'A', type: 'string', jsonPath: '.spec' }];
	const version = {
		name: 'v1',
		schema: { openAPIV3Schema },
		additionalPrinterColumns: columns,
		selectableFields: [{ jsonPath: '.spec.a' }],
	};
	const object = cluster('as.x.io', { group: 'x.io', scope: 'Cluster', names, versions: [version, { name: 'v2' }] });
	const said = text(validateCreate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', object, true)).join('\n');
	for (const shown of ['"JSONPath":".spec"', '"JSONPath":".spec.a"', '"Default":{"a":2,"b":1}']) t.true(said.includes(shown), shown);
});

test('validateCreate(): of two versions with one name, the one that is stored after the first is not told to be', (t) => {
	const names = { plural: 'as', kind: 'A', singular: 'a', listKind: 'AList' };
	const version = { name: 'v1', served: true, schema: { openAPIV3Schema: { type: 'object' } } };
	const fieldsOf = (first: object, second: object): readonly string[] => {
		const versions = [
			{ ...version, ...first },
			{ ...version, ...second },
		];
		const object = cluster('as.x.io', { group: 'x.io', scope: 'Cluster', names, versions, conversion: { strategy: 'None' } });
		Object.assign(object, { status: { storedVersions: ['v1'], acceptedNames: names } });
		const found = validateCreate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', object, true);
		return text(found).map((line) => line.replace(/Invalid value: .*\]: /, ''));
	};
	const twice = 'spec.versions: must contain unique version names';
	t.deepEqual(fieldsOf({ storage: true }, { storage: false }), [twice]);
	t.deepEqual(fieldsOf({ storage: false }, { storage: true }), [twice, 'status.storedVersions: must have the storage version v1']);
});

test('validateUpdate(): an immutable ConfigMap', (t) => {
	const old = { metadata, data: { k: 'v' }, immutable: true } as unknown as KubeObject;
	const next = { metadata, data: { k: 'z' }, immutable: true } as unknown as KubeObject;
	t.deepEqual(text(validateUpdate('', 'v1', 'ConfigMap', next, old, true)), [
		'data: Forbidden: field is immutable when `immutable` is set',
	]);
});

test('validateUpdate(): a bad label is found by the common rules and by the kind', (t) => {
	const old = { metadata } as unknown as KubeObject;
	const next = { metadata: { ...metadata, labels: { a: 'b c' } } } as unknown as KubeObject;
	t.is(validateUpdate('', 'v1', 'ConfigMap', next, old, true).length, 4);
});

const inSchedule = (schedule: string): string =>
	`spec.schedule: Invalid value: "${schedule}": cannot use TZ or CRON_TZ in schedule, use timeZone field instead`;
const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
for (const [given, want] of [
	[{ schedule: '@every 1h30m' }, []],
	[{ schedule: '@every -1m' }, []],
	[{ schedule: '@every x' }, ['spec.schedule: Invalid value: "@every x": failed to parse duration @every x: time: invalid duration "x"']],
	[{ schedule: '@often' }, ['spec.schedule: Invalid value: "@often": unrecognized descriptor: @often']],
	[{ timeZone: 'Europe/Berlin' }, []],
	[{ timeZone: 'America/Port-au-Prince' }, []],
	[{ timeZone: 'US/Pacific' }, []],
	[{ timeZone: 'GMT' }, []],
	[{ timeZone: 'Etc/GMT+1' }, []],
	[{ timeZone: 'Factory' }, []],
	[{ timeZone: 'America/Argentina/Buenos_Aires' }, []],
	[{ timeZone: 'US/PACIFIC' }, ['spec.timeZone: Invalid value: "US/PACIFIC": unknown time zone US/PACIFIC']],
	[{ timeZone: 'us/pacific' }, ['spec.timeZone: Invalid value: "us/pacific": unknown time zone us/pacific']],
	[{ timeZone: 'PST' }, ['spec.timeZone: Invalid value: "PST": unknown time zone PST']],
	[{ schedule: 'TZ=UTC 0 5 * * *' }, [inSchedule('TZ=UTC 0 5 * * *')]],
	[
		{ schedule: 'CRON_TZ=utc 0 5 * * *' },
		[
			'spec.schedule: Invalid value: "CRON_TZ=utc 0 5 * * *": provided bad location utc: unknown time zone utc',
			inSchedule('CRON_TZ=utc 0 5 * * *'),
		],
	],
	[{ timeZone: 'europe/berlin' }, ['spec.timeZone: Invalid value: "europe/berlin": unknown time zone europe/berlin']],
	[{ timeZone: 'EUROPE/BERLIN' }, ['spec.timeZone: Invalid value: "EUROPE/BERLIN": unknown time zone EUROPE/BERLIN']],
	[{ timeZone: '../x' }, ['spec.timeZone: Invalid value: "../x": unknown time zone ../x']],
	[{ timeZone: 'a/b..c' }, ['spec.timeZone: Invalid value: "a/b..c": time: invalid location name']],
	[{ timeZone: '+01:00' }, ['spec.timeZone: Invalid value: "+01:00": unknown time zone +01:00']],
	[{ timeZone: 'Local' }, [`spec.timeZone: Invalid value: "Local": ${explicit}`]],
	[
		{ timeZone: 'local' },
		[`spec.timeZone: Invalid value: "local": ${explicit}`, 'spec.timeZone: Invalid value: "local": unknown time zone local'],
	],
] as const)
	test(`a cron job with ${JSON.stringify(given)}`, (t) => {
		const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
		const object = { metadata, spec: { schedule: '* * * * *', concurrencyPolicy: 'Allow', jobTemplate, ...given } } as KubeObject;
		t.deepEqual(text(validateCreate('batch', 'v1', 'CronJob', object, true)), want);
	});

test('a cron job keeps what it had before there were rules: a zone in its schedule, one that is not known', (t) => {
	const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
	const made = (spec: object) => ({ metadata, spec: { concurrencyPolicy: 'Allow', jobTemplate, ...spec } }) as KubeObject;
	const update = (old: object, next: object) => text(validateUpdate('batch', 'v1', 'CronJob', made(next), made(old), true));
	const schedule = 'TZ=UTC 0 5 * * *';
	t.deepEqual(update({ schedule }, { schedule: 'TZ=UTC 0 6 * * *' }), []);
	t.deepEqual(update({ schedule }, { schedule, timeZone: 'UTC' }), [
		`spec.schedule: Invalid value: "${schedule}": cannot use both timeZone field and TZ or CRON_TZ in schedule`,
	]);
	t.deepEqual(update({ schedule: '* * * * *', timeZone: 'PST' }, { schedule: '@daily', timeZone: 'PST' }), []);
});
