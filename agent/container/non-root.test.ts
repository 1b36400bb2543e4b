/** Who may not start since it would be root, in upstream's words. */
import test from 'ava';
import { checkNonRoot } from './non-root.ts';

const WHO = '(pod: "p_n(u)", container: c)';
const [nobody, root, named, silent] = [
	{ uid: 65534, username: '' },
	{ uid: 0, username: '' },
	{ uid: undefined, username: 'www' },
	{ uid: undefined, username: '' },
];

for (const [name, shared, own, image, want] of [
	['nothing is asked', {}, {}, root, undefined],
	['an image of nobody', { runAsNonRoot: true }, {}, nobody, undefined],
	['an image of root', { runAsNonRoot: true }, {}, root, `container has runAsNonRoot and image will run as root ${WHO}`],
	['an image that says nothing', { runAsNonRoot: true }, {}, silent, `container has runAsNonRoot and image will run as root ${WHO}`],
	[
		'an image of a name',
		{ runAsNonRoot: true },
		{},
		named,
		`container has runAsNonRoot and image has non-numeric user (www), cannot verify user is non-root ${WHO}`,
	],
	['a user of the pod', { runAsNonRoot: true, runAsUser: 7 }, {}, root, undefined],
	['root of the pod', { runAsNonRoot: true, runAsUser: 0 }, {}, nobody, `container's runAsUser breaks non-root policy ${WHO}`],
	['root of the pod, a user of the container', { runAsNonRoot: true, runAsUser: 0 }, { runAsUser: 7 }, root, undefined],
	['a container that need not', { runAsNonRoot: true }, { runAsNonRoot: false }, root, undefined],
	['a container alone that must', {}, { runAsNonRoot: true }, root, `container has runAsNonRoot and image will run as root ${WHO}`],
] as const)
	test(`checkNonRoot(): ${name}`, (t) => {
		const container = { name: 'c', image: 'i', securityContext: own };
		const pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { securityContext: shared, containers: [container] } };
		const check = (): void => checkNonRoot(pod, container, { id: 'i', tags: [], digests: [], sizeBytes: 0, pinned: false, ...image });
		if (want === undefined) t.notThrows(check);
		else t.throws(check, { message: want });
	});
