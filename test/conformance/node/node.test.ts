/** What upstream's conformance tests assert of a node, on a real engine, in one process on one cluster: `names.txt` says which they are. */
import { atMost } from '../suite.ts';
// Those that take longest begin first.
import './pods/taints.ts';
import './pods/liveness.ts';
import './pods/generation.ts';
import './volumes/wrappers.ts';
// And the others.
import './objects/config-maps.ts';
import './objects/csi-objects.ts';
import './objects/device-objects.ts';
import './objects/leases.ts';
import './objects/nodes.ts';
import './objects/persistent-volumes.ts';
import './objects/pod-templates.ts';
import './objects/runtime-classes.ts';
import './objects/secrets.ts';
import './objects/storage-classes.ts';
import './pods/container-environment.ts';
import './pods/container-runtime.ts';
import './pods/containers.ts';
import './pods/downward-environment.ts';
import './pods/ephemeral-containers.ts';
import './pods/expansion.ts';
import './pods/expansion-of-paths.ts';
import './pods/init-containers.ts';
import './pods/kubelet.ts';
import './pods/lifecycle.ts';
import './pods/lifecycle-hooks.ts';
import './pods/pods.ts';
import './pods/readiness.ts';
import './pods/remote-commands.ts';
import './pods/resize.ts';
import './pods/runtime-class.ts';
import './pods/security-context.ts';
import './pods/sysctls.ts';
import './volumes/config-maps.ts';
import './volumes/downward.ts';
import './volumes/empty-dir.ts';
import './volumes/images.ts';
import './volumes/projected.ts';
import './volumes/secrets.ts';
import './volumes/sub-paths.ts';
import './volumes/updates.ts';

// Most of them wait for a probe, a deadline or a back-off.
atMost(16);
