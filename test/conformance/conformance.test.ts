/** Every behaviour, in one process on one cluster: `names.txt` says which of upstream's tests they stand for. */
import './behaviours/auth.ts';
import './behaviours/chunking.ts';
import './behaviours/custom-webhooks.ts';
import './behaviours/definitions.ts';
import './behaviours/discovery.ts';
import './behaviours/field-validation.ts';
import './behaviours/garbage.ts';
import './behaviours/kubectl-proxy.ts';
import './behaviours/kubectl.ts';
import './behaviours/namespaces.ts';
import './behaviours/operations.ts';
import './behaviours/policies.ts';
import './behaviours/quotas.ts';
import './behaviours/watch.ts';
import './behaviours/webhook-configurations.ts';
import './behaviours/webhooks.ts';
