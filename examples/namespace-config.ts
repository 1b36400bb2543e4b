/**
 * An example controller: every Namespace labelled `example.kubeling.dev/contact=<who>` has a ConfigMap "contact" that says who.
 *
 *     node examples/namespace-config.ts [--context NAME]
 *     kubectl label namespace default example.kubeling.dev/contact=ops
 *     kubectl get configmap contact -o yaml
 *
 * Taking the label off removes the ConfigMap; deleting or changing the ConfigMap brings it back.
 */
import { parseArgs } from 'node:util';
import type { ConfigMap } from '../api/gen/types.ts';
import type { Key } from '../api/resource.ts';
import { CONFIG_MAPS, NAMESPACES } from '../api/resources.ts';
import { realClock } from '../base/clock.ts';
import { ignore } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import { runServices } from '../base/service.ts';
import { createController, keysFrom, type Reconcile } from '../client/controller.ts';
import { accessFromKubeconfig } from '../client/credentials.ts';
import { createRecorder, referenceTo } from '../client/events.ts';
import { createTransport } from '../client/http2.ts';
import { Informers } from '../client/informers.ts';
import { kubeconfigPaths, loadKubeconfig } from '../client/kubeconfig.ts';
import { createClient } from '../client/rest.ts';

const LABEL = 'example.kubeling.dev/contact';
const NAME = 'contact';

const { values } = parseArgs({ options: { context: { type: 'string' } } });
const config = await loadKubeconfig(kubeconfigPaths(process.env));
const { transport: options } = accessFromKubeconfig(config, realClock, values.context);
await using closing = new AsyncDisposableStack();
const transport = closing.adopt(createTransport(options), (t) => t.close());

const deps = { client: createClient(transport, { userAgent: 'namespace-config' }), clock: realClock, log: createLog() };
const informers = new Informers(deps);
const namespaces = informers.get(NAMESPACES);
// Only our own ConfigMaps are watched and kept in memory.
const maps = informers.get(CONFIG_MAPS, { labelSelector: LABEL });
const recorder = createRecorder({ ...deps, component: 'namespace-config' });

/** The key is a namespace's name, whatever changed. */
const reconcile: Reconcile = async (namespace, signal) => {
	const { client, log } = deps;
	const key: Key = `${namespace}/${NAME}`;
	const object = namespaces.lister.get(namespace);
	const current = maps.lister.get(key);
	const contact = object?.metadata.deletionTimestamp === undefined ? object?.metadata.labels?.[LABEL] : undefined;
	if (contact === undefined) {
		if (current?.metadata.uid === undefined) return;
		await client.delete(CONFIG_MAPS, key, { uid: current.metadata.uid, signal }).catch(ignore('NotFound'));
		log.info('removed', { namespace });
		return;
	}
	if (current?.data?.['contact'] === contact) return;
	const wanted: ConfigMap = { metadata: { name: NAME, namespace, labels: { [LABEL]: 'true' } }, data: { contact } };
	const body = { ...wanted, apiVersion: 'v1', kind: 'ConfigMap' };
	await client.patch(CONFIG_MAPS, key, { type: 'apply', body, force: true }, { fieldManager: 'namespace-config', signal });
	if (object !== undefined) recorder.event(referenceTo(NAMESPACES, object), 'Normal', 'ContactWritten', `The contact is now ${contact}`);
	log.info('written', { namespace, contact });
};

const controller = createController({
	...deps,
	name: 'namespace-config',
	sources: [keysFrom(namespaces), keysFrom(maps, ({ before, after }) => [(after ?? before)?.metadata.namespace ?? ''])],
	reconcile,
});

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
await runServices([informers, recorder, controller], stop.signal, () => deps.log.info('running'));
