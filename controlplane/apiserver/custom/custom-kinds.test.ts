/** What of a definition is served: the names that it was granted, and what is said of versions that are going. */
import test from 'ava';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { ResourceRow } from '../../../api/resource.ts';
import type { Kind } from '../registry/kinds.ts';
import { customKinds } from './custom-kinds.ts';

const { signal } = new AbortController();
const NAMES = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
const kindsOf = (names: object, acceptedNames: object, versions: readonly object[]) =>
	customKinds(
		{
			metadata: { name: 'things.c.io' },
			spec: { group: 'c.io', scope: 'Cluster', names, versions },
			status: { acceptedNames },
		} as unknown as CustomResourceDefinition,
		{ review: undefined },
		signal,
	);

test('names that were not granted are not shown', (t) => {
	const [kind] = kindsOf({ ...NAMES, shortNames: ['po'], categories: ['all'] }, NAMES, [{ name: 'v1', served: true, storage: true }]);
	const { shortNames, categories, plural } = (kind as Kind).resource as ResourceRow;
	t.deepEqual({ shortNames, categories, plural }, { shortNames: [], categories: [], plural: 'things' });
});

test('a deprecated version names the best of those that come after it', (t) => {
	const version = (name: string, more: object = {}): object => ({ name, served: true, storage: name === 'v1', ...more });
	const versions = [
		...[version('v1alpha1', { deprecated: true }), version('v2', { deprecated: true }), version('v3', { served: false })],
		...[version('v1beta1'), version('v1'), version('v0', { deprecated: true, deprecationWarning: 'mine' })],
	];
	t.deepEqual(Object.fromEntries(kindsOf(NAMES, NAMES, versions).map(({ resource, custom }) => [resource.version, custom?.warning])), {
		v1alpha1: 'c.io/v1alpha1 Thing is deprecated; use c.io/v1 Thing',
		v2: 'c.io/v2 Thing is deprecated',
		v1beta1: undefined,
		v1: undefined,
		v0: 'mine',
	});
});
