import test from 'ava';
import { StatusError } from '../../../../api/status.ts';
import type { KubeObject } from '../../../../api/resource.ts';
import { attributesOf, reader } from '../../../../test/fakes/admission.ts';
import { createSigningRequest } from '../../../../wire/tls/authority.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import { NodeRestriction } from './node-restriction.ts';

const NEVER = new AbortController().signal;
const user = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const STORED = {
	'nodes n1': { metadata: { name: 'n1', uid: 'u1' } },
	'pods n/mine': { metadata: { name: 'mine', uid: 'p1' }, spec: { nodeName: 'n1' } },
	'pods n/other': { metadata: { name: 'other', uid: 'p2' }, spec: { nodeName: 'n2' } },
};

/** What the plugin says to what the kubelet of n1 writes; undefined when nothing. */
async function said(object: object, more: Partial<AdmissionAttributes>): Promise<string | undefined> {
	const no = { authorize: () => Promise.resolve({ allowed: false, denied: false, reason: '' }) };
	const plugin = new NodeRestriction(reader(STORED), no);
	try {
		await plugin.mutate(attributesOf(object, { user, ...more }), NEVER);
		return undefined;
	} catch (error) {
		if (error instanceof StatusError) return error.message.replace(/^.* is forbidden: /, '');
		throw error;
	}
}

const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };
const mirror = (spec: object = {}, ...ownerReferences: object[]): object => ({
	metadata: { name: 'a', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences },
	spec: { nodeName: 'n1', containers: [], ...spec },
});
const holding = (...volumes: object[]): object => mirror({ volumes }, OWNER);

for (const [what, pod, want] of [
	['of its own', mirror({}, OWNER), undefined],
	['owned by nobody', mirror(), 'node "n1" can only create pods with an owner reference set to itself'],
	['owned twice', mirror({}, OWNER, OWNER), 'node "n1" can only create pods with a single owner reference set to itself'],
	['owned by another node', mirror({}, { ...OWNER, name: 'n2' }), 'node "n1" can only create pods with an owner reference set to itself'],
	[
		'not controlled by it',
		mirror({}, { ...OWNER, controller: false }),
		'node "n1" can only create pods with a controller owner reference set to itself',
	],
	[
		'that holds it back',
		mirror({}, { ...OWNER, blockOwnerDeletion: true }),
		'node "n1" must not set blockOwnerDeletion on an owner reference',
	],
	['of a node of before', mirror({}, { ...OWNER, uid: 'u0' }), 'node n1 UID mismatch: expected u0 got u1'],
	[
		'with a claim for devices',
		mirror({ resourceClaims: [{ name: 'c' }] }, OWNER),
		'node "n1" can not create pods that reference resourceclaims',
	],
	[
		'with a CSI volume',
		holding({ name: 'v', csi: { driver: 'd' } }),
		'node "n1" can not create pods that reference csidrivers (via CSI volumes)',
	],
	[
		'with an ephemeral volume',
		holding({ name: 'v', ephemeral: {} }),
		'node "n1" can not create pods that reference persistentvolumeclaims (via ephemeral volumes)',
	],
	[
		'with a token',
		holding({ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
		'node "n1" can not create pods that reference serviceaccounts (via projected volumes)',
	],
	[
		'with trust bundles',
		holding({ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 't' } }] } }),
		'node "n1" can not create pods that reference clustertrustbundles',
	],
	[
		'with what it knows itself',
		holding({ name: 'v', projected: { sources: [{ downwardAPI: {} }] } }, { name: 'h', hostPath: {} }),
		undefined,
	],
	['of an unknown volume', holding({ name: 'v' }), 'error checking mirror pod for API references: unknown volume type for volume  "v"'],
] as const)
	test(`a node makes a mirror pod ${what}`, async (t) => t.is(await said(pod, {}), want));

const slices = { group: 'resource.k8s.io', resource: 'resourceslices', namespace: '' };
const nodes = { resource: 'nodes', namespace: '' };
const old = (oldObject: object, more: object = {}): Partial<AdmissionAttributes> => ({
	...{ operation: 'UPDATE', oldObject: oldObject as KubeObject },
	...more,
});
const ofMine = (status: object): object => ({ metadata: { name: 'mine' }, spec: { nodeName: 'n1' }, status });
const podStatus = { subresource: 'status', name: 'mine' };
const claim = (metadata: object, status: object = {}): object => ({ metadata: { name: 'c', ...metadata }, spec: {}, status });
const claims = { resource: 'persistentvolumeclaims', subresource: 'status', name: 'c' };

for (const [what, object, more, want] of [
	['deletes a pod that is not there', {}, { operation: 'DELETE', name: 'gone' }, 'pod "gone" not found'],
	[
		'evicts a pod of another node',
		{},
		{ subresource: 'eviction', name: 'other' },
		'node n1 can only evict pods with spec.nodeName set to itself',
	],
	[
		'says which claims for devices a pod has',
		ofMine({ resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'x' }] }),
		old(ofMine({}), podStatus),
		'node "n1" cannot update resource claim statues',
	],
	[
		'says which claim for extended resources a pod has',
		ofMine({ extendedResourceClaimStatus: { resourceClaimName: 'x' } }),
		old(ofMine({}), podStatus),
		'node "n1" cannot update extended resource claim status',
	],
	['says how a pod is', ofMine({ phase: 'Running' }), old(ofMine({}), podStatus), undefined],
	[
		'makes a Node without a name',
		{ metadata: { generateName: 'n' } },
		{ ...nodes, name: '' },
		'node "n1" is not allowed to modify node ""',
	],
	[
		'makes a Node with labels of others',
		{ metadata: { labels: { 'node-restriction.kubernetes.io/a': '' } } },
		{ ...nodes, name: 'n1' },
		'node "n1" is not allowed to set the following labels: node-restriction.kubernetes.io/a',
	],
	[
		'sets labels of others',
		{ metadata: { labels: { 'x.k8s.io/a': '' } } },
		old({ metadata: {} }, { ...nodes, name: 'n1' }),
		'is not allowed to modify labels: x.k8s.io/a',
	],
	[
		'gives its Node an owner',
		{ metadata: { ownerReferences: [{}], labels: { 'x.k8s.io/a': '' } } },
		old({ metadata: {} }, { ...nodes, name: 'n1' }),
		'node "n1" is not allowed to modify ownerReferences',
	],
	[
		'labels a claim',
		claim({ labels: { a: 'b' } }),
		old(claim({}), claims),
		'node "n1" is not allowed to update fields other than status.quantity and status.conditions: @@ -1,5 +1,8 @@\n {\n  "name": "c",\n+ "labels": {\n+  "a": "b"\n+ },\n  "Spec": {\n   "AccessModes": null,\n   "Selector": null,\n',
	],
	[
		'binds a claim',
		claim({}, { phase: 'Bound' }),
		old(claim({}), claims),
		'node "n1" is not allowed to update fields other than status.quantity and status.conditions: @@ -15,7 +15,7 @@\n   "VolumeAttributesClassName": null\n  },\n  "Status": {\n-  "Phase": "",\n+  "Phase": "Bound",\n   "AccessModes": null,\n   "Capacity": null,\n   "Conditions": null,\n',
	],
	['says how large a claim is', claim({}, { capacity: { storage: '1' }, allocatedResources: {} }), old(claim({}), claims), undefined],
	[
		'makes a slice for another node',
		{ spec: { nodeName: 'n2' } },
		slices,
		'can only create ResourceSlice with the same NodeName as the requesting node',
	],
	['makes a slice of its own', { spec: { nodeName: 'n1' } }, slices, undefined],
	[
		'deletes a slice of another node',
		{},
		{ ...slices, ...old({ spec: { nodeName: 'n2' } }), operation: 'DELETE' },
		'can only delete ResourceSlice with the same NodeName as the requesting node',
	],
	[
		'makes a CSINode for another',
		{},
		{ group: 'storage.k8s.io', resource: 'csinodes', name: 'n2' },
		'can only access CSINode with the same name as the requesting node',
	],
	[
		'asks for a token of a pod that was',
		{ spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'p0' } } },
		{ resource: 'serviceaccounts', subresource: 'token' },
		'the UID in the bound object reference (p0) does not match the UID in record. The object might have been deleted and then recreated',
	],
	[
		'asks for a token of a pod that is not there',
		{ spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: 'p' } } },
		{ resource: 'serviceaccounts', subresource: 'token' },
		'pod "gone" not found',
	],
	[
		'asks for a token of a pod of no version',
		{ spec: { boundObjectRef: { kind: 'Pod', name: 'mine', uid: 'p1' } } },
		{ resource: 'serviceaccounts', subresource: 'token' },
		'node requested token not bound to a pod',
	],
] as readonly (readonly [string, object, Partial<AdmissionAttributes>, string | undefined])[])
	test(`a node ${what}`, async (t) => t.is(await said(object, more), want));

for (const [signer, commonName, want] of [
	['kubernetes.io/kubelet-serving', 'system:node:n1', undefined],
	['kubernetes.io/kubelet-serving', 'system:node:n2', 'can only create a node CSR with CN=system:node:n1'],
	['kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n2', 'can only create a node CSR with CN=system:node:n1'],
	['example.com/any', 'system:node:n2', undefined],
] as const)
	test(`a node asks ${signer} for a certificate of ${commonName}`, async (t) => {
		const { csrPem } = await createSigningRequest({ commonName, organizations: ['system:nodes'] });
		const object = { spec: { signerName: signer, request: Buffer.from(csrPem).toString('base64') } };
		t.is(await said(object, { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', namespace: '' }), want);
	});
