/** An API server for the tests of a file, and admission policies that are each bound to a namespace of their own. */
import type { TestFn } from 'ava';
import {
	MUTATING_ADMISSION_POLICIES,
	MUTATING_ADMISSION_POLICY_BINDINGS,
	NAMESPACES,
	SERVICE_ACCOUNTS,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { testApiServer } from './api-server.ts';

export interface PolicedServer {
	readonly client: Client;
	/** The namespace that the policy, and nothing else, is for: its config maps and pods, unless another rule is given. */
	bound(kind: 'validating' | 'mutating', spec: object, more?: { readonly binding?: object; readonly rule?: object }): Promise<string>;
}

export async function policedServer(test: TestFn): Promise<PolicedServer> {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: createLog({ level: 'error' }) }, stop.signal);
	test.after.always(async () => {
		stop.abort();
		await stopped;
	});
	let serial = 0;
	return {
		client,
		async bound(kind, spec, { binding, rule } = {}) {
			const name = `policy-${++serial}`;
			const metadata = { name };
			await client.create(NAMESPACES, { metadata });
			await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: name } });
			// A mutating policy has nothing to do at a DELETE, and is refused with one.
			const operations = ['CREATE', 'UPDATE', ...(kind === 'validating' ? ['DELETE'] : [])];
			const matchConstraints = {
				namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
				resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: ['configmaps', 'pods'], ...rule }],
			};
			if (kind === 'validating') {
				await client.create(VALIDATING_ADMISSION_POLICIES, { metadata, spec: { matchConstraints, ...spec } });
				await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
					metadata,
					spec: { policyName: name, validationActions: ['Deny'], ...binding },
				});
			} else {
				await client.create(MUTATING_ADMISSION_POLICIES, { metadata, spec: { matchConstraints, reinvocationPolicy: 'Never', ...spec } });
				await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata, spec: { policyName: name, ...binding } });
			}
			return name;
		},
	};
}

/** What the server says of it; 'ok' when it takes it. */
export async function said(created: Promise<unknown>): Promise<string> {
	try {
		await created;
		return 'ok';
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		return `${error.httpCode} ${error.message}`;
	}
}
