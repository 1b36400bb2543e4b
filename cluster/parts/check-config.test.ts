import test from 'ava';
import { checkConfig } from './check-config.ts';

const SCHEDULER = { api: { server: 'https://127.0.0.1:6443', caFile: 'ca.crt', certFile: 'a.crt', keyFile: 'a.key' } };
for (const [name, part, config, faults] of [
	['a right one', 'scheduler', SCHEDULER, undefined],
	['a file beside it', 'scheduler', { ...SCHEDULER, schedulerConfigFile: 's.yaml' }, undefined],
	['nothing', 'scheduler', undefined, /it is missing \(an object\)/],
	['a text', 'cri', 'x', /it must be an object, not "x"/],
	[
		'a missing and an unknown field',
		'scheduler',
		{ api: { ...SCHEDULER.api, keyFile: undefined, extra: 1 } },
		/api\.keyFile is missing.*api\.extra is not/,
	],
	['a port', 'apiserver', { port: 70_000, store: { type: 'sqlite', path: 'x' } }, /port must be a port from 1 to 65535, not 70000/],
	[
		'an address',
		'apiserver',
		{ advertiseAddress: '127.0.0.1' },
		/advertiseAddress must be an IP address that is no loopback, not "127.0.0.1"/,
	],
	['no network', 'apiserver', { serviceSubnet: 'foo' }, /serviceSubnet must be a network such as 10.96.0.0\/16, not "foo"/],
	['a network of one family', 'apiserver', { serviceSubnet: '10.1.0.0/16,10.2.0.0/16' }, /serviceSubnet must be a network, or one of IPv4/],
	[
		'a small network',
		'apiserver',
		{ serviceSubnet: '10.96.0.0/16,fd00::/126' },
		/fd00::\/126: the service cluster IP range must be at least 8/,
	],
	['a store', 'apiserver', { store: { type: 'etcd', endpoints: [] } }, /store\.endpoints must be a list of at least one text, not \[\]/],
	['another store', 'apiserver', { store: { type: 'x' } }, /store\.type must be "sqlite" or "etcd", not "x"/],
	['a list', 'agent', { nodeIps: ['a', 1] }, /nodeIps\[1\] must be a text, not 1/],
] as const)
	test(`the configuration of a part: ${name}`, (t) => {
		const check = (): unknown => checkConfig(part, config);
		if (faults === undefined) t.is(check(), config);
		else t.throws(check, { code: 'InvalidArgument', message: faults });
	});
