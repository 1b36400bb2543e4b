/** What is registered and not shown yet is asked for again; what is only unavailable stays. */
import test from 'ava';
import type { APIService, CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { Discovered } from '../discovered.ts';
import { isRegistered, missingIn, type Registered } from './registered.ts';

const resource = (version: string) => ({
	...{ group: 'x.io', version, kind: 'Foo', plural: 'foos', namespaced: true, subresources: [], verbs: ['delete', 'list', 'watch'] },
});

const shown = (...versions: readonly string[]): Discovered => ({
	resources: versions.slice(0, 1).map(resource),
	versions: new Set(versions.map((version) => `x.io/${version}`)),
	stale: [],
});

const stale: Discovered = { resources: [], versions: new Set(['x.io/v1']), stale: ['x.io/v1'] };
const withoutResources: Discovered = { ...shown('v1'), resources: [] };

const service = (version: string, available: string): APIService => ({
	metadata: { name: `${version}.x.io` },
	spec: { group: 'x.io', version, service: { namespace: 'a', name: 'a' }, groupPriorityMinimum: 1, versionPriority: 1 },
	status: { conditions: [{ type: 'Available', status: available }] },
});

const definition = (established: string, ...served: readonly string[]): CustomResourceDefinition => ({
	metadata: { name: 'foos.x.io' },
	spec: {
		...{ group: 'x.io', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' } },
		versions: ['v1', 'v2'].map((name) => ({ name, served: served.includes(name), storage: name === 'v1' })),
	},
	status: { conditions: [{ type: 'Established', status: established }] },
});

const of = (services: readonly APIService[], definitions: readonly CustomResourceDefinition[] = []): Registered => ({
	services,
	definitions,
});

for (const [name, found, registered, want] of [
	['nothing is registered', shown('v1'), of([]), []],
	['an available server is not shown', shown(), of([service('v1', 'True')]), ['x.io/v1']],
	['an available server is stale', stale, of([service('v1', 'True')]), ['x.io/v1']],
	['an available server is shown', shown('v1'), of([service('v1', 'True')]), []],
	['an available server has no resources', withoutResources, of([service('v1', 'True')]), []],
	['an unavailable server: its APIService changes once it is available', stale, of([service('v1', 'False')]), []],
	['an established definition is not shown', shown(), of([], [definition('True', 'v1')]), ['x.io/foos']],
	['an established definition is shown', shown('v1'), of([], [definition('True', 'v1')]), []],
	['an established definition is shown in the version of before', shown('v1'), of([], [definition('True', 'v2')]), ['x.io/foos']],
	['a definition is not established', shown(), of([], [definition('False', 'v1')]), []],
	['a definition serves nothing', shown(), of([], [definition('True')]), []],
	['a server is in the place of a definition', withoutResources, of([service('v1', 'True')], [definition('True', 'v1')]), []],
	['a server is before a definition', shown('v2', 'v1'), of([service('v2', 'True')], [definition('True', 'v1')]), []],
] as const)
	test(`missingIn(): ${name}`, (t) => t.deepEqual(missingIn(found, registered), want));

for (const [name, found, registered, want] of [
	['its server is stale', stale, of([service('v1', 'False')]), true],
	['its server is not shown', shown(), of([service('v1', 'False')]), true],
	['its server has it no more', withoutResources, of([service('v1', 'True')]), false],
	['its APIService is gone', shown(), of([]), false],
	['its definition is established', shown(), of([], [definition('True', 'v1')]), true],
	['its definition serves another version', shown(), of([], [definition('True', 'v2')]), false],
] as const)
	test(`isRegistered(): ${name}`, (t) => t.is(isRegistered(resource('v1'), found, registered), want));
