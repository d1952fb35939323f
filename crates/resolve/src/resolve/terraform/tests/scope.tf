# The scope of expected.txt: what people declare around Karpenter, with invented names.

variable "text" { default = "1.8.3" }
variable "count_text" {
  type    = number
  default = "3"
}
variable "pool" {
  type = object({
    name  = string
    size  = optional(number, 2)
    taint = optional(object({ key = optional(string, "k"), value = optional(string) }), {})
    list  = optional(list(object({ a = optional(bool, true) })), [{}])
  })
  default = { name = 5, extra = 1 }
}
variable "set" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "map" {
  type    = map(object({ v = optional(string, "d") }))
  default = { z = {}, a = { v = 1 } }
}
variable "fixed" {
  default  = 7
  nullable = false
}
variable "nothing" {
  type    = string
  default = null
}
variable "free" {
  type    = any
  default = { a = [1, "x"], b = null, "c-d" = { e = true } }
}
variable "zones" {
  type    = list(string)
  default = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
}
variable "ports" {
  type    = list(number)
  default = ["443", 8443, 10250]
}
variable "port_set" {
  type    = set(number)
  default = [10250, 443, 8443, 443]
}
variable "labels" {
  type    = map(string)
  default = { team = "fishing", tier = 2, spot = true }
}
variable "empty_labels" {
  type    = map(string)
  default = {}
}
variable "flag_text" {
  type    = bool
  default = "true"
}
variable "pair" {
  type    = tuple([string, number])
  default = [1, "2"]
}
variable "node_pools" {
  type = map(object({
    weight         = optional(number, 10)
    capacity_types = optional(list(string), ["spot", "on-demand"])
    taints         = optional(list(object({ key = string, value = optional(string, "true"), effect = optional(string, "NoSchedule") })), [])
    limits         = optional(object({ cpu = optional(number), memory = optional(string) }))
    budgets        = optional(set(string), ["10%"])
  }))
  default = {
    general = {}
    gpu = {
      weight         = "50"
      capacity_types = ["on-demand"]
      taints         = [{ key = "nvidia.com/gpu" }, { key = "team", value = "vision", effect = "NoExecute" }]
      limits         = { cpu = "1000" }
      budgets        = ["5", "1", "5"]
    }
  }
}
variable "addons" {
  type = object({
    karpenter = optional(object({
      enabled = optional(bool, true)
      version = optional(string, "1.8.3")
      values  = optional(list(string), [])
      set     = optional(list(object({ name = string, value = any })), [])
    }), {})
    tags = optional(map(string), {})
  })
  default = { karpenter = { version = "1.9.0", set = [{ name = "replicas", value = 1 }] } }
}
variable "mixed" {
  type    = list(map(string))
  default = [{ a = 1 }, { a = "x", b = true }, {}]
}

locals {
  list     = ["c", "a", "b"]
  object   = { b = 1, a = "x", "c-d" = [1, 2], n = null }
  nested   = { one = { taints = [{ key = "k", value = "v" }] }, two = { taints = [] } }
  template = "$${y}: %%{ for i in x }<$${i}>%%{ endfor }"
  merged   = merge(local.object, { b = 2 })

  name         = "harbour"
  cluster_name = "${local.name}-${var.text}"
  version_parts = split(".", var.text)
  minor        = tonumber(element(local.version_parts, 1))
  is_v1        = tonumber(local.version_parts[0]) >= 1
  tags = merge(var.labels, {
    "karpenter.sh/discovery" = local.cluster_name
    Environment              = upper(local.name)
  }, var.nothing == null ? {} : { Owner = var.nothing })
  chart = yamldecode(<<-YAML
    dependencies:
      - name: karpenter
        version: 1.8.3
        repository: oci://public.ecr.aws/karpenter
      - name: metrics
        version: "3.12.1"
        condition: metrics.enabled
    empty: {}
    list: [1, 2.5, true, null, "x"]
  YAML
  )
  dependencies = { for it in local.chart.dependencies : it.name => it }
  requirements = [
    { key = "karpenter.sh/capacity-type", operator = "In", values = ["spot", "on-demand"] },
    { key = "kubernetes.io/arch", operator = "In", values = ["amd64"] },
    { key = "karpenter.k8s.aws/instance-cpu", operator = "Gt", values = ["3"] },
  ]
  pools = {
    for name, it in var.node_pools : name => merge(it, {
      full  = "${local.name}-${name}"
      taint = [for t in it.taints : "${t.key}=${t.value}:${t.effect}"]
    })
  }
  by_effect = { for t in flatten([for it in var.node_pools : it.taints]) : t.effect => t.key... }
  subnets   = { for i, zone in var.zones : zone => cidrsubnet("10.20.0.0/16", 4, i) }
  products  = [for it in setproduct(var.zones, ["spot", "od"]) : join("/", it)]
  heredoc   = <<-EOT
    settings:
      clusterName: ${local.cluster_name}
      %{~ if local.is_v1 }
      interruptionQueue: ${local.name}
      %{~ endif }
    zones:
    %{ for zone in var.zones ~}
    - ${zone}
    %{ endfor ~}
  EOT
  indented = <<-EOT
      deep
    shallow
        deeper ${local.name}
  EOT
  flush = <<EOT
  kept
%{ if local.is_v1 }
yes
%{ else }
no
%{ endif }
  end
EOT
  inner_heredoc = "${join(",", [<<-A
    one ${upper(<<-B
      two
    B
    )}
  A
  , "three"])}"
  broken_for = {
    for
    key,
    value
    in
    local.nested
    :
    key
    =>
    length(
      value.taints
    )
    if
    key != "x"
  }
  choice       = local.is_v1 ? { api = "karpenter.sh/v1", count = 1 } : { api = "karpenter.sh/v1beta1", count = 2 }
  choice_lists = local.is_v1 ? ["a", 1] : []
  choice_map   = local.is_v1 ? { a = 1, b = "x" } : {}
  or_null      = local.is_v1 ? null : ["x"]
  third        = 10 / 3
  share        = 0.1 * 3
  huge         = 123456789012345
  instance_sizes = toset(["large", "xlarge", "2xlarge"])
  sorted_keys  = sort(keys(var.node_pools))
  json         = jsondecode("{\"a\":[1,{\"b\":null}],\"c\":\"d\"}")
  encoded      = yamlencode({ spec = { replicas = 2, nodes = ["a", "b"], on = true, empty = {}, none = null, text = "1" } })
  decoded      = yamldecode(local.encoded)
  empty_list   = []
  empty_object = {}
  grouped      = { for it in local.requirements : it.operator => it.key... }
  flattened    = flatten([for name, it in var.node_pools : [for t in it.taints : { pool = name, key = t.key }]])
  keyed        = { for it in local.flattened : "${it.pool}.${it.key}" => it }
  conditional_merge = merge(
    { a = 1 },
    local.is_v1 ? { b = 2 } : {},
    local.is_v1 ? null : { c = 3 },
  )
}
