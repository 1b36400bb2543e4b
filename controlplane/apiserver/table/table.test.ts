import test from 'ava';
import { described } from './descriptions.ts';
import { columnsOf, isShownByDefault, rowOf } from './table.ts';

test('described(): texts of a kind, common ones, and none for what is not known', (t) => {
	const [columns] = [described('Pod', columnsOf('Pod'))];
	t.is(columns.find(({ name }) => name === 'Ready')?.description, 'The aggregate readiness state of this pod for accepting traffic.');
	t.is(described('Pod', [{ name: 'Zork', type: 'string', format: '', description: '', priority: 0 }])[0]?.description, '');
});

test('a kind without a printer has a date column and no rows for nothing', (t) => {
	t.true(isShownByDefault('LimitRange'));
	t.false(isShownByDefault('Pod'));
	t.deepEqual(
		columnsOf('LimitRange').map(({ name, type }) => `${name} ${type}`),
		['Name string', 'Created At date'],
	);
});

const target = (extra: object): object => ({ target: extra, name: 'cpu' });
for (const [want, metric, current] of [
	['<unknown>/5', { type: 'Pods', pods: target({ averageValue: '5' }) }, undefined],
	['2/5 (avg)', { type: 'External', external: target({ averageValue: '5' }) }, { external: { current: { averageValue: '2' } } }],
	['2/5', { type: 'Object', object: target({ value: '5' }) }, { object: { current: { value: '2' } } }],
	[
		'cpu: 30%/<auto>',
		{ type: 'ContainerResource', containerResource: target({}) },
		{ containerResource: { current: { averageUtilization: 30 } } },
	],
] as const)
	test(`an autoscaler's metric is shown as ${want}`, (t) => {
		const object = {
			metadata: { name: 'a' },
			spec: { metrics: [metric] },
			status: { currentMetrics: current === undefined ? [] : [current] },
		};
		t.is(rowOf('HorizontalPodAutoscaler', object as never, 0).cells[2], want);
	});

const ended = (name: string, exitCode: number, reason?: string): object => ({ name, state: { terminated: { exitCode, reason } } });
const runs = { name: 'r', ready: true, state: { running: {} } };
const podStatus = (...containerStatuses: object[]): object => ({ status: { phase: 'Running', containerStatuses } });
const addresses = (...ips: string[]): object[] => ips.map((ip) => ({ ip }));
for (const [what, kind, object, column, want] of [
	[
		'a container that failed beside one that completed',
		'Pod',
		podStatus(ended('a', 0, 'Completed'), ended('b', 1, 'Error')),
		'Status',
		'Error',
	],
	[
		'a failure goes before a pod that is not ready',
		'Pod',
		podStatus(ended('a', 0, 'Completed'), ended('b', 2), runs),
		'Status',
		'ExitCode:2',
	],
	['one that completed beside one that runs', 'Pod', podStatus(ended('a', 0, 'Completed'), runs), 'Status', 'NotReady'],
	[
		'IPv6 addresses have brackets, and ports go before addresses',
		'Endpoints',
		{ subsets: [{ addresses: addresses('::1', '10.0.0.1'), ports: [{ port: 80 }, { port: 90 }] }] },
		'Endpoints',
		'[::1]:80,10.0.0.1:80,[::1]:90 + 1 more...',
	],
	['subsets without addresses are not none', 'Endpoints', { subsets: [{ ports: [{ port: 80 }] }] }, 'Endpoints', ''],
	['a port that has a name alone', 'EndpointSlice', { ports: [{ name: 'http' }, {}] }, 'Ports', 'http,*'],
	[
		'addresses of a balancer are sorted and told once',
		'Service',
		{ spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { ip: '1.1.1.1' }, { ip: '2.2.2.2' }] } } },
		'External-IP',
		'1.1.1.1,2.2.2.2',
	],
	[
		'rules without a host count once three hosts are shown',
		'Ingress',
		{ spec: { rules: [{}, { host: 'a' }, { host: 'b' }, { host: 'c' }, {}] } },
		'Hosts',
		'a,b,c + 2 more...',
	],
	[
		'a default class',
		'IngressClass',
		{ metadata: { name: 'a', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } },
		'Name',
		'a (default)',
	],
	[
		'a parent with a group',
		'IPAddress',
		{ spec: { parentRef: { group: 'Example.com', resource: 'gateways', namespace: 'n', name: 'g' } } },
		'ParentRef',
		'gateways.example.com/n/g',
	],
	['a slice of no node', 'ResourceSlice', { spec: { driver: 'd' } }, 'Node', ''],
	['reserved needs an allocation', 'ResourceClaim', { status: { reservedFor: [{}] } }, 'State', 'pending'],
	[
		'an exempt level has no shares to show',
		'PriorityLevelConfiguration',
		{ spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0 } } },
		'NominalConcurrencyShares',
		'<none>',
	],
	[
		'parameters that are selected',
		'ValidatingAdmissionPolicyBinding',
		{
			spec: {
				paramRef: { selector: { matchLabels: { b: '2', a: '1' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] } },
			},
		},
		'ParamRef',
		'&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
	],
] as const)
	test(`${kind}: ${what}`, (t) => {
		const at = columnsOf(kind).findIndex(({ name }) => name === column);
		t.is(rowOf(kind, { metadata: { name: 'n' }, ...object } as never, 0).cells[at], want);
	});
