import test from 'ava';
import { check } from './check.ts';
import { objectShape } from './kind-shape.ts';

const OMITTED = (path: string, key: string): string =>
	`${path}: element 0: associative list with keys has an element that omits all key fields ["${key}"] (and doesn't have default values for any key fields)`;

for (const [group, kind, parts, want] of [
	['', 'ServiceAccount', { secrets: [{}] }, OMITTED('.secrets', 'name')],
	['flowcontrol.apiserver.k8s.io', 'FlowSchema', { status: { conditions: [{}] } }, OMITTED('.status.conditions', 'type')],
	['', 'Pod', { spec: { imagePullSecrets: [{}] } }, undefined],
	['', 'Pod', { spec: { containers: [{ image: 'i' }] } }, undefined],
] as const)
	test(`a key that may be left out is none where nothing stands for it: ${kind} ${JSON.stringify(parts)}`, (t) => {
		const shape = objectShape(group, 'v1', kind)?.shape;
		t.is(shape === undefined ? 'no such kind' : check(shape, parts, false), want);
	});
