import test from 'ava';
import type { PodSpec } from '../../gen/types.ts';
import { podOptions } from './options-before.ts';
import { podAnnotations, profileAnnotations } from './annotations.ts';
import type { Errors } from '../rule.ts';

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/c';
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const BARE = { containers: [{ name: 'c' }] } as PodSpec;
const told = (out: Errors): readonly string[] => out.map(({ field, message }) => `${field}: ${message}`);

for (const [annotations, before, want] of [
	[{ [APP_ARMOR]: 'runtime/default', [SECCOMP]: 'unconfined', [COST]: '-5' }, {}, []],
	[{ [APP_ARMOR]: 'zork' }, {}, [`a[${APP_ARMOR}]: Invalid value: "zork": invalid AppArmor profile name: "zork"`]],
	[{ [`${APP_ARMOR}d`]: '' }, {}, [`a[${APP_ARMOR}d]: Invalid value: "cd": container not found`]],
	[{ [SECCOMP]: 'zork' }, {}, [`a.${SECCOMP}: Invalid value: "zork": must be a valid seccomp profile`]],
	[{ [CONTAINER_SECCOMP]: 'localhost/../x' }, {}, [`a.${CONTAINER_SECCOMP}: Invalid value: "../x": must not contain '..'`]],
	[{ [COST]: '+5' }, {}, [`a[${COST}]: Invalid value: "+5": must be a 32bit integer`]],
	[{ [COST]: '2147483648' }, {}, [`a[${COST}]: Invalid value: "2147483648": must be a 32bit integer`]],
	[{ [COST]: '-2147483648' }, {}, []],
	[{ [COST]: '05' }, { [COST]: 'x' }, []],
	[
		{ 'kubernetes.io/config.mirror': 'x' },
		{},
		['a[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set'],
	],
] as const)
	test(`a pod's annotations ${JSON.stringify(annotations)} after ${JSON.stringify(before)}`, (t) => {
		const out: Errors = [];
		podAnnotations(out, 'a', annotations, BARE, podOptions({ metadata: { annotations: before } }));
		t.deepEqual(told(out), want);
	});

const TYPES = 'type in annotation and field must match';
for (const [what, annotations, spec, want] of [
	['no field', { [SECCOMP]: 'unconfined', [APP_ARMOR]: 'unconfined' }, BARE, []],
	[
		'another type for the pod',
		{ [SECCOMP]: 'unconfined' },
		{ ...BARE, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
		[`s.securityContext.seccompProfile.type: Forbidden: seccomp ${TYPES}`],
	],
	[
		"the engine's own default",
		{ [CONTAINER_SECCOMP]: 'docker/default' },
		{ containers: [{ name: 'c', securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }] },
		[],
	],
	[
		'another file',
		{ [CONTAINER_SECCOMP]: 'localhost/a' },
		{ containers: [{ name: 'c', securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'b' } } }] },
		['s.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match'],
	],
	[
		"another type than the pod's",
		{ [APP_ARMOR]: 'localhost/a' },
		{ ...BARE, securityContext: { appArmorProfile: { type: 'Unconfined' } } },
		[`s.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor ${TYPES}`],
	],
	[
		'another type, on Windows',
		{ [APP_ARMOR]: 'localhost/a' },
		{ ...BARE, os: { name: 'windows' }, securityContext: { appArmorProfile: { type: 'Unconfined' } } },
		[],
	],
] as const)
	test(`a profile's annotation beside ${what}`, (t) => {
		const out: Errors = [];
		profileAnnotations(out, 's', annotations, spec as unknown as PodSpec);
		t.deepEqual(told(out), want);
	});
