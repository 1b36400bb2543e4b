/** Webhook configurations of one test: made, and removed with it. */
import {
	AdmissionregistrationV1Api,
	CoreV1Api,
	type V1ConfigMap,
	type V1MutatingWebhook,
	type V1ValidatingWebhook,
} from '@kubernetes/client-node';
import type { World } from './suite.ts';

type Webhook = V1MutatingWebhook & V1ValidatingWebhook;
export type WebhookType = 'mutating' | 'validating';

let count = 0;

/** Resolves with what removes it again, for tests that want that earlier. */
export async function configured(world: World, type: WebhookType, ...webhooks: Webhook[]): Promise<() => Promise<void>> {
	const name = `${world.namespace}-${++count}`;
	const body = { metadata: { name, labels: { 'conformance-test': world.namespace } }, webhooks };
	const registration = world.api(AdmissionregistrationV1Api);
	if (type === 'mutating') await registration.createMutatingWebhookConfiguration({ body });
	else await registration.createValidatingWebhookConfiguration({ body });
	const remove = async (): Promise<void> => {
		if (type === 'mutating') await registration.deleteMutatingWebhookConfiguration({ name });
		else await registration.deleteValidatingWebhookConfiguration({ name });
	};
	world.t.teardown(() => remove().catch(() => undefined));
	return remove;
}

export function configMap({ api, namespace }: World, name: string, more: Partial<V1ConfigMap> = {}): Promise<V1ConfigMap> {
	return api(CoreV1Api).createNamespacedConfigMap({ namespace, body: { metadata: { name }, ...more } });
}
