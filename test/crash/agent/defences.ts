/** What keeps hostile pods, callers and neighbours from the agent's reach, each with the test that stands for it. */
import type { Defence, Defended } from '../../tools/defences.ts';

const AGENT: readonly Defence[] = [
	{
		file: 'host/own-file.ts',
		from: ' | constants.O_NOFOLLOW',
		to: '',
		test: 'a link in place of a log*',
	},
	{
		file: 'host/own-file.ts',
		from: 'openBeneath(above, relative(root, dirname(path)), mode)',
		to: 'openFolder(dirname(path))',
		test: 'a folder that is a link*',
	},
	{
		file: 'host/own-file.ts',
		from: 'openBeneath(above, relative(root, dirname(path)), mode)',
		to: 'openFolder(dirname(path))',
		test: 'a folder of termination messages that is a link*',
	},
	{ file: 'host/own-file.ts', from: 'if (stat.nlink > 1)', to: 'if (false)', test: 'a second name*' },
	{
		file: 'agent/server/log-stream.ts',
		from: ': openLog(path);',
		to: ": (await import('node:fs/promises')).open(path);",
		test: '*under a reader*',
	},
	{ file: 'agent/gc/log-rotation.ts', from: ' | constants.O_NOFOLLOW', to: '', test: 'rotation*' },
	{
		file: 'agent/gc/log-rotation.ts',
		from: 'await lstat(path)',
		to: "await (await import('node:fs/promises')).stat(path)",
		test: 'rotation*',
	},
	{
		file: 'agent/container/log-file.ts',
		from: 'openOwnFolder(path, rootOf(path))',
		to: "import('../../host/beneath.ts').then(({ openFolder }) => openFolder(join(path, '..')))",
		test: 'rotation*',
	},
	{
		file: 'agent/container/termination-file.ts',
		from: 'openOwn(path, rootDir, ',
		to: "(await import('node:fs/promises')).open(path, ",
		test: '*termination message*',
	},
	{
		file: 'agent/container/termination-file.ts',
		from: 'openOwn(terminationFile(rootDir, uid, container, attempt), rootDir, ',
		to: "(await import('node:fs/promises')).open(terminationFile(rootDir, uid, container, attempt), ",
		test: '*termination message*',
	},
	{
		file: 'agent/server/server.ts',
		from: "if (caller === undefined) return { status: 401, text: 'Unauthorized' };",
		to: 'if (caller === undefined) return undefined;',
		test: 'who shows nothing*',
	},
	{ file: 'agent/server/caller.ts', from: 'if (this.#cas.knows(socket))', to: 'if (true)', test: 'who shows nothing*' },
	{
		file: 'agent/server/server.ts',
		from: 'const refusal = await check(request, url, true, stopping.signal);',
		to: 'const refusal = undefined as Refusal | undefined;',
		test: 'who shows nothing*',
	},
	{
		file: 'agent/server/server.ts',
		from: 'if (await permissions.allowed(caller, asked, signal)) return undefined;',
		to: 'return undefined;',
		test: 'where nobodies are let in*',
	},
	{
		file: 'agent/server/permission.ts',
		from: "return streams && upgrades && verb === 'get' ? [asked, { ...asked, verb: 'create' }] : [asked];",
		to: 'return [asked];',
		test: 'who may only read*',
	},
	{ file: 'agent/server/bounded.ts', from: 'this.#running.has(key) || ', to: '', test: 'a flood of checkpoints*' },
	{ file: 'agent/server/bounded.ts', from: ' || this.#running.size >= this.#most', to: '', test: 'a flood of log queries*' },
	{ file: 'agent/server/configz.ts', from: ', ...hidden(given)', to: '', test: 'headers for the server*' },
	{
		file: 'agent/image/pull-secrets.ts',
		from: '} catch {\n\t\treturn [];',
		to: '} catch (error) {\n\t\tthrow error;',
		test: 'secrets and tokens stand in no*',
	},
	{
		file: 'agent/volume/projected.ts',
		from: 'const OWNED_MODE = 0o600;',
		to: 'const OWNED_MODE = 0o644;',
		test: '*files of their owner alone*',
	},
	{ file: 'agent/volume/volumes.ts', from: ', readOnly: isReadOnly(volume) }', to: ' }', test: 'volumes that show objects*' },
	{
		file: 'agent/volume/atomic-writer.ts',
		from: 'await chmod(target, fsGroup === undefined ? file.mode : file.mode | 0o440);',
		to: 'await chmod(target, 0o644);',
		test: '*files of their owner alone*',
	},
];

const VOLUMES: readonly Defence[] = [
	{
		file: 'agent/volume/sub-path.ts',
		from: 'return await openBeneath(root, path, (await root.stat()).mode & 0o7777);',
		to: "return await (await import('node:fs/promises')).open(join(place, path));",
		test: '*names are swapped for links: opened',
	},
	{
		file: 'host/beneath.ts',
		from: 'O_PATH | constants.O_NOFOLLOW',
		to: 'O_PATH',
		test: '*names are swapped for links: opened',
	},
];

const HOST_PATHS: readonly Defence[] = [
	{ file: 'agent/volume/host-path.ts', from: "open(path, 'wx', 0o644)", to: "open(path, 'a', 0o644)", test: '*FileOrCreate' },
	{
		file: 'agent/volume/sub-path.ts',
		from: 'return await openBeneath(root, path, (await root.stat()).mode & 0o7777);',
		to: "return await (await import('node:fs/promises')).open(join(place, path));",
		test: '*subPath of a hostPath*',
	},
];

const GROUPS: readonly Defence[] = [
	{
		file: 'agent/volume/ownership.ts',
		from: 'await openEntry(folder, entry.name)',
		to: "await (await import('node:fs/promises')).open(`${placeOf(folder)}/${entry.name}`)",
		test: '*',
	},
];

const TOLD: readonly Defence[] = [
	{ file: 'agent/image/providers.ts', from: 'spawn(command, args, {', to: 'spawn(command, [...args, input], {', test: 'a whole agent*' },
	{
		file: 'agent/image/providers.ts',
		from: "'error decoding credential provider plugin response from stdout'",
		to: '`error decoding credential provider plugin response from stdout: ${text}`',
		test: 'a whole agent*',
	},
];

const JOINING: readonly Defence[] = [
	{
		file: 'agent/certificates/join.ts',
		from: '{ kubeconfig: bootstrapFile }',
		to: '{ kubeconfig: await readIfExists(bootstrapFile) }',
		test: 'a node joins by a bootstrap kubeconfig*',
	},
];

/** What one node's credentials do not reach. */
const OF_OTHERS = '*reach*';
const AUTHORIZER = 'controlplane/apiserver/authz/node.ts';
const RESTRICTION = 'controlplane/apiserver/admission/nodes/node-restriction.ts';
const OBJECTS = 'controlplane/apiserver/admission/nodes/node-restriction-objects.ts';
const MIRRORS = 'controlplane/apiserver/admission/nodes/mirror-pods.ts';
const NODES: readonly Defence[] = [
	{
		file: AUTHORIZER,
		from: '(this.#graph.needs(node, asked.resource as Needed, asked.namespace, asked.name) ? YES : unrelated(node))',
		to: 'YES',
		test: '*reads its Secret*',
	},
	{
		file: AUTHORIZER,
		from: "return name === '' ? no('No Object name found') : decide();",
		to: "return name === '' ? YES : decide();",
		test: OF_OTHERS,
	},
	{ file: AUTHORIZER, from: '`) ? YES : unrelated(node)', to: '`) ? YES : YES', test: '*reads its pod*' },
	{
		file: AUTHORIZER,
		from: "if (asked.pinned?.['spec.nodeName'] === node) return YES;",
		to: "if (asked.pinned?.['spec.nodeName'] !== undefined) return YES;",
		test: '*lists its pods*',
	},
	{
		file: AUTHORIZER,
		from: "return name === '' ? no('can only list/watch pods with spec.nodeName field selector') : own();",
		to: 'return YES;',
		test: OF_OTHERS,
	},
	{ file: AUTHORIZER, from: 'if (asked.name === node) return YES;', to: 'return YES;', test: '*reads the Node*' },
	{ file: RESTRICTION, from: 'if (before?.spec?.nodeName !== node)', to: 'if (false)', test: '*writes the status of its pod*' },
	{ file: OBJECTS, from: 'if (attributes.name !== node)', to: 'if (false)', test: '*labels the Node*' },
	{
		file: OBJECTS,
		from: "return attributes.name === node ? undefined : 'can only access node lease",
		to: "return true ? undefined : 'can only access node lease",
		test: '*makes its lease*',
	},
	{ file: MIRRORS, from: 'if (pod.spec?.nodeName !== node)', to: 'if (false)', test: '*makes a mirror pod*' },
	{
		file: RESTRICTION,
		from: 'mirror pods`;\n\t\t\t\treturn this.#pod(attributes, attributes.name).spec?.nodeName === node\n',
		to: 'mirror pods`;\n\t\t\t\treturn true\n',
		test: '*deletes its pod*',
	},
	{ file: RESTRICTION, from: 'if (pod.spec?.nodeName !== node) return', to: 'if (false) return', test: OF_OTHERS },
	{ file: OBJECTS, from: 'if (!sameJson(now.spec?.taints ?? [], before?.spec?.taints ?? []))', to: 'if (false)', test: OF_OTHERS },
	{
		file: OBJECTS,
		from: 'return labels.length > 0 ? `is not allowed to modify labels',
		to: 'return false ? `is not allowed to modify labels',
		test: OF_OTHERS,
	},
];

const [SECURITY, SECRETS, CERTIFICATES, SUB_PATHS, HOST_PATH, OWNERSHIP, STATIC, CREDENTIALS] = [
	'agent/security.test.ts',
	'agent/secrets.integration.test.ts',
	'agent/certificates/certificates.test.ts',
	'agent/volume/sub-path.integration.test.ts',
	'agent/volume/host-path.integration.test.ts',
	'agent/volume/ownership.integration.test.ts',
	'agent/static/static.test.ts',
	'controlplane/apiserver/node-credentials.test.ts',
];

export const DEFENCES: Defended = {
	list: [
		...AGENT.map((defence) => ({ ...defence, in: SECURITY })),
		...TOLD.map((defence) => ({ ...defence, in: SECRETS })),
		...JOINING.map((defence) => ({ ...defence, in: CERTIFICATES })),
		...VOLUMES.map((defence) => ({ ...defence, in: SUB_PATHS })),
		...HOST_PATHS.map((defence) => ({ ...defence, in: HOST_PATH })),
		...GROUPS.map((defence) => ({ ...defence, in: OWNERSHIP })),
		{ file: 'agent/static/static-pod.ts', from: ", [SOURCE]: 'api' }", to: ' }', test: '*is no static one*', in: STATIC },
		...NODES.map((defence) => ({ ...defence, in: CREDENTIALS })),
	],
	tests: [SECURITY, SECRETS, CERTIFICATES, SUB_PATHS, HOST_PATH, OWNERSHIP, STATIC, CREDENTIALS],
};
